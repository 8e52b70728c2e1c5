"""The k-index (Whang et al., *Indexing Boolean Expressions*, VLDB 2009): posting lists of conjunctions by their size."""
