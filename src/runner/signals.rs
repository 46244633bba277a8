//! What signals from outside do to a run: the first stops it gently, the second at once, the third leaves. Plays and
//! records nothing itself. Start at [`listen`].

use std::rc::Rc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::hall::{Hall, Halt};

/// First signal: finish running games, at most the drain's time long. Second: break them off. Third:
/// leave at once (the watchdog ends the engines).
pub async fn listen(hall: Rc<Hall>) {
    let (Ok(mut interrupts), Ok(mut terms)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let mut signals = 0;
    let mut drained: Option<std::pin::Pin<Box<tokio::time::Sleep>>> = None;
    loop {
        let drain = async {
            match &mut drained {
                Some(sleep) => sleep.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupts.recv() => signals += 1,
            _ = terms.recv() => signals += 1,
            () = drain => {
                drained = None;
                hall.say(
                    "time for the running games is over; breaking them off",
                    "等待正在进行的棋局的时限已到，现在中断",
                );
                hall.stop(Halt::Now);
                continue;
            }
        }
        match signals {
            1 => {
                let drain = hall.plan.conduct.drain;
                drained = Some(Box::pin(tokio::time::sleep(drain)));
                let [english, chinese] = stopping(drain);
                hall.say(&english, &chinese);
                hall.stop(Halt::Drain);
            }
            2 => {
                hall.say(
                    "breaking off the running games; the run can be resumed",
                    "中断正在进行的棋局；以后可以继续",
                );
                hall.stop(Halt::Now);
            }
            _ => {
                hall.clear_display();
                std::process::exit(130);
            }
        }
    }
}

fn stopping(drain: Duration) -> [String; 2] {
    let drain = crate::game::write_seconds(drain);
    [
        format!("stopping: running games are finished, at most {drain} s long; once more stops now"),
        format!("即将停止：正在进行的棋局下完为止，最多 {drain} 秒；再按一次立即停止"),
    ]
}
