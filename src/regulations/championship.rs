//! I: the championship, 14 articles. Data only.

use super::{Article, Hold, holds};

/// Articles I.1 to I.14.
pub const ARTICLES: &[Article] = &[
    Article {
        number: "I.1",
        title: "Programs are the entrants' own work; the chief referee may look at the source",
        title_zh: "自主产权，争议时裁判长可查源码",
        held_by: &[
            Hold::Setting("entrants.registration"),
            Hold::Machine("src/config/regulation.rs"),
            Hold::Record("locked, equal_files"),
            Hold::Person("judges authorship", "裁判长认定"),
        ],
    },
    Article {
        number: "I.2",
        title: "Every team has an operator, or pays the committee for one",
        title_zh: "每队一名操作员，可付费代操作",
        held_by: holds::OPERATOR,
    },
    Article {
        number: "I.3",
        title: "Teams bring their machines",
        title_zh: "自备机器",
        held_by: &[
            Hold::Record("run_began"),
            Hold::Setting("entrants"),
            Hold::Setting("ponder"),
            Hold::Person("provides machines", "组委会协调"),
        ],
    },
    Article {
        number: "I.4",
        title: "Everybody attends the meeting, where groups are drawn by lot",
        title_zh: "赛前会议，抽签分组",
        held_by: &[
            Hold::Machine("src/runner/event.rs"),
            Hold::Machine("src/tournament/lots.rs"),
            Hold::Setting("format.groups"),
            Hold::Setting("seed"),
            Hold::Setting("format.commitment"),
            Hold::Record("checked_in, lots_promised, drawn"),
        ],
    },
    Article {
        number: "I.5",
        title: "Preliminaries and final, both double round robins with colours exchanged",
        title_zh: "预赛与决赛均为双循环，分先",
        held_by: &[
            Hold::Machine("src/tournament/championship.rs"),
            Hold::Machine("src/tournament/arrangement.rs"),
            Hold::Setting("format.qualify_per_group"),
            Hold::Setting("format.carry_over"),
            Hold::Setting("format.order"),
        ],
    },
    Article {
        number: "I.6",
        title: "Two points for a win, one for a draw",
        title_zh: "胜二和一负零",
        held_by: holds::POINTS,
    },
    Article {
        number: "I.7",
        title: "Thirty minutes a side for the whole game; more loses",
        title_zh: "每方三十分钟包干，超时负",
        held_by: holds::CLOCK,
    },
    Article {
        number: "I.8",
        title: "Equals of the final: their own games, then rapid bouts until decided",
        title_zh: "决赛同分比相互成绩，再平加赛快棋",
        held_by: &[
            Hold::Machine("src/tournament/tiebreak.rs"),
            Hold::Machine("src/tournament/championship.rs"),
            Hold::Setting("format.play_off_time"),
            Hold::Setting("format.max_bouts"),
            Hold::Record("noted: identical_game"),
            Hold::Person("decides when the guard is reached", "达上限后裁判长裁定"),
        ],
    },
    Article { number: "I.9", title: "Asian rules", title_zh: "亚洲棋规", held_by: holds::BOOK },
    Article {
        number: "I.10",
        title: "Programs are not changed or exchanged during the event",
        title_zh: "赛中不得修改或更换软件",
        held_by: holds::LOCK,
    },
    Article {
        number: "I.11",
        title: "Both screens can be seen by the other side",
        title_zh: "屏幕便于对方观看",
        held_by: &[
            Hold::Setting("screens"),
            Hold::Record("transcripts, games.pgn"),
            Hold::Person("places the screens", "现场摆放"),
        ],
    },
    Article {
        number: "I.12",
        title: "An operating mistake is corrected only with the chief referee's consent",
        title_zh: "修正操作失误须经裁判长同意",
        held_by: holds::CORRECTION,
    },
    Article {
        number: "I.13",
        title: "Both sides keep the game's record and hand it in",
        title_zh: "双方保存并提交棋谱",
        held_by: holds::RECORDS,
    },
    Article {
        number: "I.14",
        title: "The chief referee's word ends every dispute",
        title_zh: "争议服从裁判长",
        held_by: holds::LAST_WORD,
    },
];
