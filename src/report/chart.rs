//! A chart as SVG: axes with round numbers, lines, bands, bars and a legend. Colours are attributes, not
//! styles, so that a chart is the same as a file by itself and inside a page that allows no foreign styles.
//! Never knows what it shows. Start at [`Chart`].

use std::fmt::Write as _;

use super::html::escape;

/// Width and height of a drawing.
const SIZE: (f64, f64) = (640.0, 300.0);
/// Where the plot's area begins and ends: left, top, right, bottom.
const AREA: (f64, f64, f64, f64) = (58.0, 42.0, 616.0, 256.0);
/// Colours of series, told apart also by people who see fewer colours.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7a7a00"];
/// About so many numbers stand along an axis.
const TICKS: f64 = 6.0;
/// Columns of a legend.
const LEGEND_COLUMNS: usize = 4;

/// The colour of a series.
pub const fn colour(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

/// What an axis covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Its lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
}

impl Range {
    /// The range of these values and room around them; finite and never empty.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Range {
        let seen = values.into_iter().filter(|value| value.is_finite());
        let (from, to) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if from > to {
            return Range { from: 0.0, to: 1.0 };
        }
        let room = if to > from { (to - from) * 0.06 } else { to.abs().max(1.0) * 0.5 };
        Range { from: from - room, to: to + room }
    }

    /// The distance of its round numbers: 1, 2 or 5 times a power of ten.
    fn step(self) -> f64 {
        let rough = ((self.to - self.from) / TICKS).max(f64::MIN_POSITIVE);
        let power = 10f64.powf(rough.log10().floor());
        let wanted = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
        wanted.unwrap_or(10.0 * power)
    }

    fn ticks(self) -> Vec<f64> {
        let step = self.step();
        let first = (self.from / step).ceil();
        (0..20).map(|nth| (first + f64::from(nth)) * step).take_while(|tick| *tick <= self.to).collect()
    }
}

/// A number of an axis, with as many decimals as its step needs.
fn number(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    // Adding zero takes the sign off a zero.
    format!("{:.decimals$}", if value.abs() < step / 2.0 { 0.0 } else { value })
}

/// A chart in the making.
#[derive(Debug, Clone)]
pub struct Chart {
    title: String,
    x: Range,
    y: Range,
    body: String,
    legend: Vec<(usize, String)>,
}

impl Chart {
    /// A chart over these ranges. Titles and labels may hold any text.
    pub fn new(title: &str, (x, x_label): (Range, &str), (y, y_label): (Range, &str)) -> Chart {
        let mut chart = Chart { title: escape(title), x, y, body: String::new(), legend: Vec::new() };
        chart.frame(x_label, y_label, true);
        chart
    }

    /// A chart whose horizontal axis has no numbers.
    pub fn unnumbered(title: &str, (x, x_label): (Range, &str), (y, y_label): (Range, &str)) -> Chart {
        let mut chart = Chart { title: escape(title), x, y, body: String::new(), legend: Vec::new() };
        chart.frame(x_label, y_label, false);
        chart
    }

    /// A chart of bars that lie under each other: their labels and values.
    pub fn bars(title: &str, x_label: &str, bars: &[(String, f64)]) -> String {
        let most = bars.iter().map(|(_, value)| *value).fold(1.0, f64::max);
        let (x, y) = (Range { from: 0.0, to: most * 1.1 }, Range { from: 0.0, to: bars.len() as f64 });
        let mut chart = Chart { title: escape(title), x, y, body: String::new(), legend: Vec::new() };
        let (left, top, right, bottom) = AREA;
        let left = left + 90.0;
        let high = (bottom - top) / bars.len().max(1) as f64;
        for (place, (label, value)) in bars.iter().enumerate() {
            let (y, width) = (top + high * place as f64, (right - left - 60.0) * value / most);
            let middle = y + high / 2.0 + 4.0;
            let _ = writeln!(
                chart.body,
                "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text><rect x=\"{left:.1}\" y=\"{:.1}\" \
                 width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{middle:.1}\">{value}</text>",
                left - 6.0,
                escape(label),
                y + high * 0.12,
                high * 0.76,
                colour(0),
                left + width + 5.0,
            );
        }
        let _ = writeln!(
            chart.body,
            "<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            bottom + 30.0,
            escape(x_label)
        );
        chart.svg()
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (left, top, right, bottom) = AREA;
        let across = (x - self.x.from) / (self.x.to - self.x.from);
        let up = (y - self.y.from) / (self.y.to - self.y.from);
        (left + across * (right - left), bottom - up.clamp(0.0, 1.0) * (bottom - top))
    }

    fn frame(&mut self, x_label: &str, y_label: &str, numbers: bool) {
        let (left, top, right, bottom) = AREA;
        let mut out = String::new();
        for tick in self.x.ticks().into_iter().filter(|_| numbers) {
            let (x, _) = self.place(tick, self.y.from);
            let text = number(tick, self.x.step());
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {bottom}v5\" stroke=\"#444\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{text}</text>",
                bottom + 18.0
            );
        }
        for tick in self.y.ticks() {
            let (_, y) = self.place(self.x.from, tick);
            let text = number(tick, self.y.step());
            let _ = writeln!(
                out,
                "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                left - 6.0,
                y + 4.0
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left} {top}V{bottom}H{right}\" stroke=\"#444\" fill=\"none\"/>\
             <text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><text x=\"4\" y=\"28\">{}</text>",
            bottom + 32.0,
            escape(x_label),
            escape(y_label)
        );
        self.body.push_str(&out);
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (nth, (x, y)) in points.iter().enumerate() {
            let (x, y) = self.place(*x, *y);
            let _ = write!(path, "{}{x:.1} {y:.1}", if nth == 0 { 'M' } else { 'L' });
        }
        path
    }

    /// A line through points, named in the legend unless the name is empty.
    pub fn line(&mut self, series: usize, name: &str, points: &[(f64, f64)]) {
        let path = self.path(points);
        let colour = colour(series);
        let _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>"
        );
        if let [only] = points {
            let (x, y) = self.place(only.0, only.1);
            let _ = writeln!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        if !name.is_empty() {
            self.legend.push((series, name.to_owned()));
        }
    }

    /// A band between lower and upper values: `(x, lower, upper)`.
    pub fn band(&mut self, series: usize, points: &[(f64, f64, f64)]) {
        let lower = points.iter().map(|(x, low, _)| (*x, *low));
        let upper = points.iter().rev().map(|(x, _, high)| (*x, *high));
        let path = self.path(&lower.chain(upper).collect::<Vec<_>>());
        let _ = writeln!(self.body, "<path d=\"{path}Z\" fill=\"{}\" fill-opacity=\".18\"/>", colour(series));
    }

    /// A horizontal line with a text at its left end.
    pub fn level(&mut self, y: f64, text: &str) {
        let (left, _, right, _) = AREA;
        let (_, y) = self.place(self.x.from, y);
        let _ = writeln!(
            self.body,
            "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#444\" stroke-dasharray=\"6 4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left + 6.0,
            y - 4.0,
            escape(text)
        );
    }

    /// Standing bars from zero: `(from, to, value)` on the axes' scales.
    pub fn columns(&mut self, columns: &[(f64, f64, f64)]) {
        for (from, to, value) in columns {
            let ((left, top), (right, bottom)) = (self.place(*from, *value), self.place(*to, 0.0));
            let _ = writeln!(
                self.body,
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                left + 0.5,
                (right - left - 1.0).max(0.5),
                bottom - top,
                colour(0)
            );
        }
    }

    /// The whole drawing.
    pub fn svg(&self) -> String {
        let (width, _) = SIZE;
        let rows = self.legend.len().div_ceil(LEGEND_COLUMNS) as f64;
        let height = SIZE.1 + 18.0 * rows;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <title>{0}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"{1}\" y=\"15\" text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\">{0}</text>\n",
            self.title,
            width / 2.0
        );
        out.push_str(&self.body);
        for (place, (series, name)) in self.legend.iter().enumerate() {
            let x = 20.0 + (width - 20.0) / LEGEND_COLUMNS as f64 * (place % LEGEND_COLUMNS) as f64;
            let y = SIZE.1 + 6.0 + 18.0 * (place / LEGEND_COLUMNS) as f64;
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"4\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                y - 6.0,
                colour(*series),
                x + 19.0,
                escape(&super::lines::cut(name, 20))
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

/// A drawing that says why there is none.
pub fn nothing(title: &str, why: &str) -> String {
    let (width, height) = (SIZE.0, 60.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>{0}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"10\" y=\"20\" font-weight=\"bold\">{0}</text><text x=\"10\" y=\"42\">{1}</text>\n</svg>\n",
        escape(title),
        escape(why)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        let ticks = |from, to| {
            let range = Range { from, to };
            range.ticks().iter().map(|tick| number(*tick, range.step())).collect::<Vec<_>>().join(" ")
        };
        for (from, to, expected) in [
            (0.0, 10.0, "0 2 4 6 8 10"),
            (-3.1, 3.2, "-2 0 2"),
            (0.0, 0.31, "0.0 0.1 0.2 0.3"),
            (0.0, 20_000.0, "0 5000 10000 15000 20000"),
        ] {
            assert_eq!(ticks(from, to), expected);
        }
    }

    #[test]
    fn strange_values_give_sound_ranges() {
        for values in
            [vec![], vec![f64::NAN], vec![f64::INFINITY, f64::NEG_INFINITY], vec![0.0], vec![5.0, 5.0]]
        {
            let range = Range::around(values);
            assert!(range.from.is_finite() && range.to.is_finite() && range.from < range.to, "{range:?}");
        }
    }

    #[test]
    fn texts_are_escaped_and_numbers_are_numbers() {
        let range = Range { from: 0.0, to: 1.0 };
        let mut chart = Chart::new("<a>", (range, "<b>"), (range, "<c>"));
        chart.line(0, "<d>", &[(0.0, 0.5), (1.0, 2.0)]);
        chart.line(1, "", &[(0.5, 0.5)]);
        chart.band(1, &[(0.0, 0.1, 0.2)]);
        chart.level(0.5, "<e>");
        chart.columns(&[(0.0, 0.5, 0.5)]);
        for svg in [chart.svg(), Chart::bars("<a>", "<b>", &[("<c>".to_owned(), 3.0)]), nothing("<a>", "<b>")]
        {
            for bad in ["<a>", "<b>", "<c>", "<d>", "<e>", "NaN", "inf", "style"] {
                assert!(!svg.contains(bad), "{bad}: {svg}");
            }
        }
    }
}
