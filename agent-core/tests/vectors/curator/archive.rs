//! Archive, restore, pin, prune, guarded delete, candidate list.
