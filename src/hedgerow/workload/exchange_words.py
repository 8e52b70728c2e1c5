"""The vocabulary of the ad exchange: who advertises what, where people are, what they read. All brands are made up.

A word that stands several times in a row of choices is drawn that much more often.
"""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

__all__ = [
    "AGES",
    "AGE_RANGES",
    "DEVICES",
    "FIRST_DAY",
    "HOURS",
    "REGIONS",
    "SAD_WORDS",
    "SECTORS",
    "SEGMENTS",
    "SITES",
    "SLOTS",
    "STATES",
    "WEEKDAYS",
    "Sector",
]


class Sector(NamedTuple):
    """One line of business: who sells what in it, what its customers like, and which pages they read."""

    brands: tuple[str, ...]
    products: tuple[str, ...]
    interests: tuple[str, ...]
    sections: tuple[str, ...]
    keywords: tuple[str, ...]


def _sector(brands: str, products: str, interests: str, sections: str, keywords: str) -> Sector:
    return Sector(*(tuple(words.split(", ")) for words in (brands, products, interests, sections, keywords)))


SECTORS = (
    _sector(
        "fellrunner, northstride, cadence",
        "trail-shoes, winter-shoes, running-watch, race-entry",
        "running, hiking, fitness, triathlon",
        "sports, health",
        "marathon, trail running, knee pain, training plan, heart rate",
    ),
    _sector(
        "tipoff, hardwood, endzone",
        "season-tickets, jersey-sale, match-stream, fantasy-league",
        "nba, nfl, baseball, hockey",
        "sports, video",
        "playoffs, draft pick, final score, injury report, rookie",
    ),
    _sector(
        "baywind, farholm, sleeperline",
        "city-breaks, ski-week, night-train, family-cruise",
        "travel, skiing, camping, photography",
        "travel, weather",
        "cheap flights, hotel deals, visa rules, packing list, snow report",
    ),
    _sector(
        "oakbank, ledgerly, pennywell",
        "first-account, home-loan, retirement-plan, travel-card",
        "investing, housing, taxes, small business",
        "finance, news",
        "mortgage rates, stock market, tax return, inflation, savings",
    ),
    _sector(
        "pixelforge, moonlit, dicebag",
        "space-saga, farm-story, puzzle-pack, gaming-chair",
        "gaming, esports, board games, comics",
        "games, technology",
        "speedrun, patch notes, release date, walkthrough, console",
    ),
    _sector(
        "greenpan, tavolo, crumbly",
        "meal-kit, pizza-oven, oat-milk, sunday-brunch",
        "cooking, baking, vegan, wine",
        "food, health",
        "easy dinner, sourdough, meal prep, restaurant review, gluten free",
    ),
    _sector(
        "voltaro, ridgeway, tramline",
        "electric-suv, winter-tyres, car-share, city-bike",
        "cars, cycling, electric vehicles, motorsport",
        "cars, technology",
        "test drive, charging stations, used cars, fuel prices, road trip",
    ),
    _sector(
        "tonearm, nightowl, encore",
        "streaming-trial, headphones, festival-pass, vinyl-box",
        "music, concerts, podcasts, cinema",
        "music, video",
        "tour dates, new album, live session, box office, trailer",
    ),
    _sector(
        "fernhouse, hearthly, plumbline",
        "sofa-sale, paint-days, smart-heating, garden-furniture",
        "gardening, housing, interior design, pets",
        "home, weather",
        "small kitchen, house plants, heat pump, renovation, spring planting",
    ),
    _sector(
        "inkwell, lernova, papertrail",
        "language-course, night-school, audio-books, coding-camp",
        "reading, languages, programming, science",
        "books, technology, news",
        "study tips, scholarship, bestseller, learn python, career change",
    ),
)

STATES = (
    *("CA", "CA", "CA", "CA", "TX", "TX", "TX", "FL", "FL", "NY", "NY", "PA", "IL", "OH", "GA", "NC", "MI"),
    *("NJ", "VA", "WA", "AZ", "MA", "CO", "OR", "MN", "UT", "NV", "ME"),
)
REGIONS = (
    ("CA", "OR", "WA"),
    ("NY", "NJ"),
    ("TX", "AZ", "NV"),
    ("FL", "GA", "NC"),
    ("MA", "ME"),
    ("CO", "UT"),
    ("IL", "OH", "MI", "MN"),
    ("CA",),
    ("NY",),
    ("TX",),
)

AGES = (*range(14, 18), *range(18, 40), *range(18, 65), *range(25, 50), *range(65, 80))
AGE_RANGES = (
    *("BETWEEN 18 AND 24", "BETWEEN 18 AND 34", "BETWEEN 25 AND 44", "BETWEEN 35 AND 54"),
    *(">= 21", ">= 55", "<= 29"),
)

SEGMENTS = (
    "new parent",
    "student",
    "homeowner",
    "frequent flyer",
    "bargain hunter",
    "early adopter",
    "commuter",
    "dog person",
    "cart abandoner",
    "newsletter",
)

DEVICES = (
    ("phone", "ios"),
    ("phone", "ios"),
    ("phone", "android"),
    ("phone", "android"),
    ("tablet", "ios"),
    ("tablet", "android"),
    ("desktop", "windows"),
    ("desktop", "windows"),
    ("desktop", "macos"),
    ("desktop", "linux"),
    ("tv", None),
)

FIRST_DAY = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
HOURS = (
    "hour BETWEEN 6 AND 9",
    "hour BETWEEN 11 AND 14",
    "hour BETWEEN 17 AND 22",
    "hour > 17",
    "hour NOT BETWEEN 1 AND 5",
    "(hour >= 21 OR hour < 4)",
)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

SITES = ("dailypost.example", "matchday.example", "kitchentable.example", "rumours.example", "slowweb.example")
SLOTS = (("top", 728, 90), ("side", 300, 250), ("side", 300, 600), ("inline", 300, 250), ("bottom", 320, 50))
SAD_WORDS = ("accident", "lawsuit", "storm damage", "layoffs")
