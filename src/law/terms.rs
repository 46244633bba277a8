//! The terms that `asian-rules.md` 1 defines: attack, root, chase; and the labels that explain a
//! half-move. Each looks at one half-move only and knows of no loop. Start at `attack`.

pub(super) mod attack;
pub(super) mod chase;
pub(super) mod label;
pub(super) mod root;
pub(super) mod threat;
