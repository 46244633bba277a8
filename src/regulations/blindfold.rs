//! II: the blindfold exhibition, 7 articles. The lock and the records of both sides are added: they are in no
//! article of section II, whose players were people. Data only. Start at [`ARTICLES`].

use super::{Article, Hold, holds};

/// Articles II.1 to II.7.
pub const ARTICLES: &[Article] = &[
    Article {
        number: "II.1",
        title: "Everybody attends the meeting and accepts the committee's groups",
        title_zh: "赛前会议，服从分组",
        held_by: &[
            Hold::Setting("entrants.team"),
            Hold::Machine("src/config/exhibition.rs"),
            Hold::Machine("src/runner/event.rs"),
            Hold::Record("checked_in"),
            Hold::Person("makes up the groups", "组委会分组"),
        ],
    },
    Article {
        number: "II.2",
        title: "Five groups meet the master board by board, members move in turn, one game decides",
        title_zh: "五组轮流对大师，轮流落子，一局定胜负",
        held_by: &[
            Hold::Machine("src/table/sitting.rs"),
            Hold::Machine("src/table/team.rs"),
            Hold::Machine("src/tournament/exhibition.rs"),
            Hold::Machine("src/runner/live/chamber.rs"),
            Hold::Setting("format.visit"),
            Hold::Setting("format.colour"),
            Hold::Setting("format.isolate"),
            Hold::Setting("format.advice"),
            Hold::Record("moved: member"),
            Hold::Record("advised"),
        ],
    },
    Article {
        number: "II.3",
        title: "Quiet discussion",
        title_zh: "讨论控制音量",
        held_by: &[Hold::Machine("src/runner/lines.rs"), Hold::Person("keeps order in the hall", "现场维持")],
    },
    Article {
        number: "II.4",
        title: "Two points for a win, one for a draw",
        title_zh: "胜二和一负零",
        held_by: &[
            Hold::Setting("points"),
            Hold::Machine("src/tournament/points.rs"),
            Hold::Machine("src/report/exhibition.rs"),
        ],
    },
    Article {
        number: "II.5",
        title: "Sixty seconds a move, then the move may not be made; after two hours draws",
        title_zh: "每步六十秒，超时禁走；两小时未决判和",
        held_by: &[
            Hold::Setting("time"),
            Hold::Setting("format.overrun"),
            Hold::Setting("format.max_overruns"),
            Hold::Setting("format.session"),
            Hold::Setting("entrants.time"),
            Hold::Machine("src/game/referee/overrun.rs"),
            Hold::Machine("src/table/overrun.rs"),
            Hold::Machine("src/table/sitting.rs"),
            Hold::Record("overran"),
            Hold::Record("session_runs"),
            Hold::Person("decides when a group overruns too often on end", "连续超时达上限后裁判长裁定"),
        ],
    },
    Article { number: "II.6", title: "Asian rules", title_zh: "亚洲棋规", held_by: holds::BOOK },
    Article {
        number: "II.7",
        title: "The chief referee's word ends every dispute",
        title_zh: "争议服从裁判长",
        held_by: &[
            Hold::Machine("src/record/decision.rs"),
            Hold::Record("decided"),
            Hold::Person("rules: `chuhe rule`, `annul`, `replay`, `withdraw`", "裁判长裁定"),
        ],
    },
];
