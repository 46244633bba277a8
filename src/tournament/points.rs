//! The scale of points: counting is the same in both (2, 1 and 0 units), only the writing differs, so
//! both are exact. Start at [`Points`].

/// How points are counted. Tables always name the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Points {
    /// Win 2, draw 1, loss 0 (I.6, II.4, III.6, IV.7).
    #[default]
    TwoOneZero,
    /// Win 1, draw 1/2, loss 0.
    OneHalfZero,
}

impl Points {
    /// The scale's name as tables print it: `2/1/0` or `1/0.5/0`.
    pub const fn name(self) -> &'static str {
        match self {
            Points::TwoOneZero => "2/1/0",
            Points::OneHalfZero => "1/0.5/0",
        }
    }

    /// Writes units (2 a win, 1 a draw) as points of this scale: 9 units are `9` or `4.5`.
    pub fn write(self, units: u32) -> String {
        match self {
            Points::TwoOneZero => units.to_string(),
            Points::OneHalfZero if units.is_multiple_of(2) => (units / 2).to_string(),
            Points::OneHalfZero => format!("{}.5", units / 2),
        }
    }

    /// Writes a Sonneborn-Berger sum ([`Line::sonneborn_berger`](super::Line::sonneborn_berger), in units
    /// of both factors) on this scale, with one decimal (2/1/0) or two (1/0.5/0).
    pub fn write_sonneborn_berger(self, units: u64) -> String {
        match self {
            Points::TwoOneZero => format!("{}.{}", units / 2, units % 2 * 5),
            Points::OneHalfZero => format!("{}.{:02}", units / 4, units % 4 * 25),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scales_are_exact() {
        for (units, two, one) in [(0, "0", "0"), (1, "1", "0.5"), (9, "9", "4.5"), (20, "20", "10")] {
            assert_eq!(
                (Points::TwoOneZero.write(units).as_str(), Points::OneHalfZero.write(units).as_str()),
                (two, one)
            );
        }
        assert_eq!(Points::TwoOneZero.write_sonneborn_berger(41), "20.5");
        assert_eq!(Points::OneHalfZero.write_sonneborn_berger(41), "10.25");
        assert_eq!(Points::OneHalfZero.write_sonneborn_berger(4), "1.00");
    }
}
