// The A-Tree as its paper has it, to compare with: one event at a time, flat arrays, nothing clever.
//
//   expression   (a1 = 5 OR a2 > 3) AND (a1 = 5 AND a7 < 9)
//
//   node 2  AND [0 1]                 level 3    parent of 1 only: the access child, the one that is true least often
//   node 0  OR  [a1 = 5, a2 > 3]      level 2    parent of both literals
//   node 1  AND [a1 = 5, a7 < 9]      level 2    parent of a1 = 5 only
//
// Building (Section 4.2.1): equal literals and equal nodes, whatever the order of their children, are one, by hashing.
// Nodes stay as they are written: an AND in an AND is a node of its own, and nothing is reorganised.
//
// Matching (Section 5): literals that hold are found by a table of attributes and values if they are equalities, else
// by testing those of the event's attributes. Truth goes up, level by level. An OR that is reached is true. An AND is
// reached from its access child only; then its other children are looked at: a literal is tested on the event, a node
// of a lower level is true if it has the stamp of this event. Nothing is cleared between events.
//
// The one thing that the paper leaves to chance is chosen here: the access child is the narrowest child.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Number = std::int32_t;
using Numbers = std::vector<Number>;

// A child is a node by its number, or a literal by the complement of its number.
bool is_literal(Number child) { return child < 0; }

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

// Lists of numbers, one after the other: list i is values[starts[i]] up to values[starts[i + 1]].
struct Lists {
    std::vector<std::uint32_t> starts{0};
    Numbers values;

    const Number *begin(Number list) const { return values.data() + starts[list]; }
    const Number *end(Number list) const { return values.data() + starts[list + 1]; }

    // Make the lists of pairs (list, value), each in the order of the pairs.
    void fill(std::size_t count, const std::vector<std::pair<Number, Number>> &pairs) {
        starts.assign(count + 1, 0);
        values.resize(pairs.size());
        for (auto [list, value] : pairs) starts[list + 1]++;
        for (std::size_t list = 0; list < count; list++) starts[list + 1] += starts[list];
        std::vector<std::uint32_t> next(starts);
        for (auto [list, value] : pairs) values[next[list]++] = value;
    }
};

// Numbers by hash; whether two things of one hash are equal is for the caller to say.
class Unique {
  public:
    template <typename Equal> Number *find(std::uint64_t hash, Equal equal) {
        if (2 * (count + 1) > cells.size()) grow();
        std::size_t mask = cells.size() - 1, place = hash & mask;
        while (cells[place].second >= 0 && !(cells[place].first == hash && equal(cells[place].second)))
            place = (place + 1) & mask;
        if (cells[place].second < 0) {
            cells[place].first = hash;
            count++;
        }
        return &cells[place].second;  // negative if it is new: the caller writes its number
    }

  private:
    std::vector<std::pair<std::uint64_t, Number>> cells = std::vector<std::pair<std::uint64_t, Number>>(1024, {0, -1});
    std::size_t count = 0;

    void grow() {
        std::vector<std::pair<std::uint64_t, Number>> old(2 * cells.size(), {0, -1});
        old.swap(cells);
        for (auto &cell : old) {
            if (cell.second < 0) continue;
            std::size_t place = cell.first & (cells.size() - 1);
            while (cells[place].second >= 0) place = (place + 1) & (cells.size() - 1);
            cells[place] = cell;
        }
    }
};

// low <= value <= high, or not so. An equality is a range of one value.
struct Literal {
    Number attribute, low, high;
    bool negated;

    bool holds(Number value) const { return (low <= value && value <= high) != negated; }
    bool is_equality() const { return low == high && !negated; }
    bool operator==(const Literal &other) const {
        return attribute == other.attribute && low == other.low && high == other.high && negated == other.negated;
    }
};

// A node's lists go from its own start up to that of the next node; the last of the nodes is no node but their end.
struct Node {
    std::uint32_t stamp = 0;                                   // the last event that it was true for
    std::uint32_t children = 0, parents = 0, expressions = 0;  // where its lists start
    std::uint8_t level = 0;
    bool conjunction = false;
};

class Tree {
  public:
    Tree(Number attributes, Number values, double presence)
        : attributes(attributes), values(values), presence(presence), slots(attributes), slot_stamps(attributes, 0) {}

    void add(const char *text, const char *end) {
        at = text;
        stop = end;
        Number root = chain();
        if (at != stop) throw std::runtime_error("the expression ends too early");
        if (is_literal(root)) root = node(false, {root});
        roots.emplace_back(root, static_cast<Number>(roots.size()));
    }

    void finish();
    void match(const Number *event_attributes, const Number *event_values, std::size_t size);

    Numbers found;  // the expressions that match the last event
    std::size_t literal_count() const { return literals.size(); }
    std::size_t node_count() const { return nodes.size() - 1; }

  private:
    // What is built
    Number attributes, values;
    double presence;  // the share of events that have an attribute
    std::vector<Literal> literals;
    std::vector<Node> nodes{1};
    std::vector<double> chances;  // of each node, estimated
    Numbers children;             // the access child of an AND first
    Unique unique_literals, unique_nodes;
    std::vector<std::pair<Number, Number>> roots;  // (node, expression)

    // What matching reads besides
    Numbers parents, expressions;  // of each node
    Lists literal_parents;
    Numbers equalities;                // the literal of each attribute and value, or -1
    Lists ranges;                      // the other literals of each attribute that have parents
    std::vector<Literal> range_tests;  // what they test, in the same order

    // What it writes
    Numbers slots;                           // the event's value of each attribute
    std::vector<std::uint32_t> slot_stamps;  // and of which event that is
    std::uint32_t stamp = 0;
    std::vector<Numbers> queues;  // of each level

    // Reading text
    const char *at = nullptr, *stop = nullptr;

    bool taken(const char *word) {
        std::size_t length = std::strlen(word);
        if (static_cast<std::size_t>(stop - at) < length || std::memcmp(at, word, length) != 0) return false;
        at += length;
        return true;
    }

    void expect(const char *word) {
        if (!taken(word)) throw std::runtime_error(std::string("expected ") + word);
    }

    Number number() {
        const char *first = at;
        Number value = 0;
        while (at != stop && '0' <= *at && *at <= '9') value = 10 * value + (*at++ - '0');
        if (at == first) throw std::runtime_error("expected a number");
        return value;
    }

    // Operands with AND between all of them, or OR.
    Number chain() {
        Numbers operands{operand()};
        bool all = false;
        while (at != stop && *at == ' ') {
            bool is_and = taken(" AND ");
            if (!is_and) expect(" OR ");
            if (operands.size() > 1 && is_and != all) throw std::runtime_error("AND beside OR without parentheses");
            all = is_and;
            operands.push_back(operand());
        }
        return operands.size() == 1 ? operands[0] : node(all, std::move(operands));
    }

    Number operand() {
        if (!taken("(")) return predicate();
        Number inner = chain();
        expect(")");
        return inner;
    }

    Number predicate() {
        expect("a");
        Number attribute = number();
        if (attribute >= attributes) throw std::runtime_error("an attribute that there is not");
        expect(" ");
        if (taken("= ")) return equality(attribute, false);
        if (taken("!= ")) return equality(attribute, true);
        if (taken("<= ")) return literal({attribute, INT32_MIN, value(), false});
        if (taken(">= ")) return literal({attribute, value(), INT32_MAX, false});
        if (taken("< ")) return literal({attribute, INT32_MIN, value() - 1, false});
        if (taken("> ")) return literal({attribute, value() + 1, INT32_MAX, false});
        expect("BETWEEN ");
        Number low = value();
        expect(" AND ");
        return literal({attribute, low, value(), false});
    }

    Number equality(Number attribute, bool negated) {
        Number only = value();
        return literal({attribute, only, only, negated});
    }

    Number value() {
        Number read = number();
        if (read >= values) throw std::runtime_error("a value that there is not");
        return read;
    }

    // Each literal and node once
    Number literal(Literal test) {
        std::uint64_t hash = mixed(mixed(mixed(test.attribute, test.low), test.high), test.negated);
        Number *place = unique_literals.find(hash, [&](Number other) { return literals[other] == test; });
        if (*place < 0) {
            *place = static_cast<Number>(literals.size());
            literals.push_back(test);
        }
        return ~*place;
    }

    Number node(bool all, Numbers operands) {
        std::sort(operands.begin(), operands.end());
        operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
        std::uint64_t hash = all;
        for (Number operand : operands) hash = mixed(hash, static_cast<std::uint32_t>(operand));
        Number *place = unique_nodes.find(hash, [&](Number other) {
            const Number *first = children.data() + nodes[other].children;
            const Number *last = children.data() + nodes[other + 1].children;
            return nodes[other].conjunction == all && std::equal(first, last, operands.begin(), operands.end());
        });
        if (*place < 0) {
            *place = static_cast<Number>(chances.size());
            append(all, operands);
        }
        return *place;
    }

    void append(bool all, const Numbers &operands) {
        int level = 1;
        double chance = 1;  // that all are true, or that none is, as if one told nothing of another
        for (Number operand : operands) {
            level = std::max<int>(level, is_literal(operand) ? 1 : nodes[operand].level);
            chance *= all ? chance_of(operand) : 1 - chance_of(operand);
        }
        nodes.back().conjunction = all;
        nodes.back().level = static_cast<std::uint8_t>(level + 1);
        chances.push_back(all ? chance : 1 - chance);
        children.insert(children.end(), operands.begin(), operands.end());
        nodes.emplace_back().children = static_cast<std::uint32_t>(children.size());
    }

    double chance_of(Number child) const {
        if (!is_literal(child)) return chances[child];
        const Literal &test = literals[~child];
        double width = std::min(test.high, values - 1) - std::max(test.low, 0) + 1;
        double share = std::max(width, 0.0) / values;
        return presence * (test.negated ? 1 - share : share);
    }

    // Going up
    void reach(Number number) {
        Node &node = nodes[number];
        if (!node.conjunction) {  // an AND is reached from one child only
            if (node.stamp == stamp) return;
            node.stamp = stamp;
        }
        queues[node.level].push_back(number);
    }

    void reach_parents(Number literal) {
        for (const Number *parent = literal_parents.begin(literal); parent != literal_parents.end(literal); parent++)
            reach(*parent);
    }

    bool holds(Number child) const {
        if (!is_literal(child)) return nodes[child].stamp == stamp;
        const Literal &test = literals[~child];
        return slot_stamps[test.attribute] == stamp && test.holds(slots[test.attribute]);
    }

    void visit(Number number) {
        Node &node = nodes[number], &next = nodes[number + 1];
        if (node.conjunction) {
            for (std::uint32_t place = node.children + 1; place < next.children; place++)
                if (!holds(children[place])) return;
            node.stamp = stamp;
        }
        for (std::uint32_t place = node.expressions; place < next.expressions; place++)
            found.push_back(expressions[place]);
        for (std::uint32_t place = node.parents; place < next.parents; place++) reach(parents[place]);
    }
};

// Choose access children, link children to the parents that they lead to, and give up what only building needs.
void Tree::finish() {
    std::vector<std::pair<Number, Number>> of_nodes, of_literals, of_attributes;
    auto link = [&](Number child, Number parent) {
        if (is_literal(child)) of_literals.emplace_back(~child, parent);
        else of_nodes.emplace_back(child, parent);
    };
    for (Number node = 0; node < static_cast<Number>(node_count()); node++) {
        Number *first = children.data() + nodes[node].children, *last = children.data() + nodes[node + 1].children;
        if (nodes[node].conjunction) {
            std::sort(first, last, [&](Number one, Number other) { return chance_of(one) < chance_of(other); });
            link(*first, node);
        } else {
            for (Number *child = first; child != last; child++) link(*child, node);
        }
    }
    Lists node_parents, node_expressions;
    node_parents.fill(node_count(), of_nodes);
    node_expressions.fill(node_count(), roots);
    for (std::size_t node = 0; node < nodes.size(); node++) {
        nodes[node].parents = node_parents.starts[node];
        nodes[node].expressions = node_expressions.starts[node];
    }
    parents = std::move(node_parents.values);
    expressions = std::move(node_expressions.values);
    literal_parents.fill(literals.size(), of_literals);
    equalities.assign(static_cast<std::size_t>(attributes) * values, -1);
    for (Number number = 0; number < static_cast<Number>(literals.size()); number++) {
        const Literal &test = literals[number];
        bool leads_up = literal_parents.begin(number) != literal_parents.end(number);
        if (test.is_equality()) equalities[test.attribute * values + test.low] = number;
        else if (leads_up) of_attributes.emplace_back(test.attribute, number);
    }
    ranges.fill(attributes, of_attributes);
    for (Number range : ranges.values) range_tests.push_back(literals[range]);
    for (const Node &node : nodes) queues.resize(std::max<std::size_t>(queues.size(), node.level + 1));
    unique_literals = Unique();
    unique_nodes = Unique();
    roots = {};
    chances = {};
}

void Tree::match(const Number *event_attributes, const Number *event_values, std::size_t size) {
    found.clear();
    stamp++;
    for (std::size_t place = 0; place < size; place++) {
        slots[event_attributes[place]] = event_values[place];
        slot_stamps[event_attributes[place]] = stamp;
    }
    for (std::size_t place = 0; place < size; place++) {
        Number attribute = event_attributes[place], value = event_values[place];
        Number equal = equalities[attribute * values + value];
        if (equal >= 0) reach_parents(equal);
        for (std::uint32_t range = ranges.starts[attribute]; range < ranges.starts[attribute + 1]; range++)
            if (range_tests[range].holds(value)) reach_parents(ranges.values[range]);
    }
    for (Numbers &queue : queues) {
        for (Number node : queue) visit(node);  // its parents are of higher levels
        queue.clear();
    }
}

}  // namespace

extern "C" {

Tree *textbook_new(Number attributes, Number values, double presence) { return new Tree(attributes, values, presence); }

void textbook_free(Tree *tree) { delete tree; }

// Add rows of text: row i is text[starts[i]] up to text[starts[i + 1]]. Return how many were understood: all, or those
// before the first that is no expression of the generator.
std::int64_t textbook_add(Tree *tree, const char *text, const Number *starts, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; row++) {
        try {
            tree->add(text + starts[row], text + starts[row + 1]);
        } catch (const std::runtime_error &) {
            return row;
        }
    }
    return rows;
}

void textbook_finish(Tree *tree) { tree->finish(); }

std::int64_t textbook_literals(const Tree *tree) { return static_cast<std::int64_t>(tree->literal_count()); }

std::int64_t textbook_nodes(const Tree *tree) { return static_cast<std::int64_t>(tree->node_count()); }

// Match events one after the other, and write how many expressions match each. Event i has the attributes and values
// from starts[i] up to starts[i + 1].
void textbook_match(Tree *tree, const Number *attributes, const Number *values, const std::int64_t *starts,
                    std::int64_t events, std::int64_t *counts) {
    for (std::int64_t event = 0; event < events; event++) {
        std::int64_t first = starts[event];
        tree->match(attributes + first, values + first, starts[event + 1] - first);
        counts[event] = static_cast<std::int64_t>(tree->found.size());
    }
}

// The expressions that match the last event, in no order.
const Number *textbook_found(const Tree *tree) { return tree->found.data(); }
}
