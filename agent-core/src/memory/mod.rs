//! Memory: two bounded note stores, their tool, the frozen snapshot, approval and the content scan (`spec/memory.md`).
