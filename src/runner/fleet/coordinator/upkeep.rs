//! What a coordinator does beside counting: it hears of workers, says how the run stands and hears what operators
//! want, looks for pairs that got lost, and takes its leave. Judges nothing. Start at [`Coordinator::tick`].

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::{AHEAD, AUDIT, Coordinator, FAREWELL, PACE, TICK, WINDOW};
use crate::record::What;
use crate::runner::fleet::check::short;
use crate::runner::fleet::follow::Stored;
use crate::runner::fleet::link::{RESULT, WORK};
use crate::runner::fleet::message::{Card, State, read_token, token};
use crate::runner::hall::Halt;
use crate::tournament::GameId;

impl Coordinator {
    /// The server says that a pair was handed out so often that it hands it out no more.
    pub(super) async fn fell_silent(&mut self, stored: &Stored) {
        #[derive(Deserialize)]
        struct Advisory {
            stream_seq: u64,
        }
        let Ok(Advisory { stream_seq }) = serde_json::from_slice(&stored.bytes) else { return };
        let Ok(work) = self.link.stream(WORK).await else { return };
        let Ok(message) = work.get_raw_message(stream_seq).await else { return };
        let subject = message.subject.to_string();
        let Some((id, issue)) = subject.rsplit('.').next().and_then(read_token) else { return };
        let ours = subject == self.run.work(&token(id, issue));
        if ours && self.window.get(id).is_some_and(|unit| unit.published && unit.issue == issue) {
            let reason = "every worker that had it fell silent";
            self.give_again(id, issue, reason, true).await;
        }
    }

    pub(super) async fn tick(&mut self) {
        if self.audit_now || self.audited.elapsed() >= AUDIT {
            self.audit_now = false;
            self.audited = Instant::now();
            self.audit().await;
        }
        self.look_around().await;
        self.tell().await;
    }

    /// Hears of the workers: who plays, who does not and why, and how many places there are.
    async fn look_around(&mut self) {
        let Ok(workers) = self.link.workers().await else { return };
        let run = self.run.dotted();
        let joined = |card: &Card| card.joined.iter().any(|(name, _)| *name == run);
        let here = workers.iter().filter(|(name, card)| joined(card) && !self.notice.aside.contains(name));
        let slots: usize = here.map(|(_, card)| card.slots as usize).sum();
        self.size = (slots * AHEAD).clamp(*WINDOW.start(), *WINDOW.end());
        for (name, card) in &workers {
            if let Some((_, why)) = card.refused.iter().find(|(name, _)| *name == run) {
                self.say_once(&format!("worker {name} does not play: {}", short(why)));
            } else if joined(card) {
                self.say_once(&format!("worker {name} plays, {} at once", card.slots));
            }
        }
    }

    /// Says how the run stands, and hears whether somebody wants it to stand otherwise.
    async fn tell(&mut self) {
        let Ok(known) = self.link.notice(&self.run).await else { return };
        if let Some((there, revision)) = known {
            if self.revision != revision && self.revision != 0 {
                self.hear(there.state);
            }
            self.revision = revision;
        }
        while self.ended.front().is_some_and(|(when, _)| when.elapsed() > PACE) {
            self.ended.pop_front();
        }
        let games: usize = self.ended.iter().map(|(_, games)| games).sum();
        let over = self.ended.front().map_or(Duration::ZERO, |(when, _)| when.elapsed());
        self.notice.pace = (games as f64 * 60.0 / over.as_secs_f64().max(1.0)).round();
        self.count_up();
        self.notice.out = self.window.out() as u64;
        if self.said.as_ref() == Some(&self.notice) {
            return;
        }
        if self.link.set_notice(&self.run, &self.notice, self.revision).await == Ok(true)
            && let Ok(Some((_, revision))) = self.link.notice(&self.run).await
        {
            self.revision = revision;
            self.said = Some(self.notice.clone());
        }
    }

    /// What the journal says, of earlier lives too.
    fn count_up(&mut self) {
        let desk = self.hall.desk();
        self.notice.decided = desk.run().decided();
        if let Some(fleet) = desk.run().fleet() {
            self.notice.redelivered = fleet.workers.values().map(|tally| tally.redelivered).sum();
            self.notice.dead = fleet.dead.len() as u64;
        }
    }

    fn hear(&mut self, state: State) {
        if state == self.notice.state {
            return;
        }
        self.notice.state = state;
        self.said = None;
        match state {
            State::Running => self.hall.say("fleet: the run goes on", "机群：比赛继续"),
            State::Paused => {
                self.hall.say("fleet: paused; running pairs are finished", "机群：暂停；进行中的对局下完为止")
            }
            State::Stopped | State::Cancelled => {
                self.hall.say("fleet: stopped by an operator", "机群：由管理员停止");
                self.notice.state = State::Cancelled;
                self.hall.stop(Halt::Now);
            }
        }
    }

    /// Looks for pairs that are neither at the server nor in a result: whoever took them did not bring them.
    async fn audit(&mut self) {
        let Ok(undone) = self.link.undone(&self.run).await else { return };
        let undone: BTreeSet<(GameId, u8)> = undone.into_iter().collect();
        let missing: Vec<_> = self.window.published().filter(|pair| !undone.contains(pair)).collect();
        for (id, issue) in missing {
            let subject = self.run.result(&token(id, issue));
            match self.link.last(RESULT, &subject).await {
                Ok(Some(number)) if number > self.seen => {}
                Ok(_) => self.give_again(id, issue, "it got lost", false).await,
                Err(_) => return,
            }
        }
        // A pair that stands in the stream but is neither handed out nor waiting would stay there for ever.
        let idle = self.link.is_idle(&self.run).await == Ok(true);
        let before = std::mem::take(&mut self.forgotten);
        if idle {
            for (id, issue) in undone {
                if before.contains(&(id, issue)) && self.window.get(id).is_some() {
                    self.give_again(id, issue, "the server forgot it", false).await;
                } else {
                    self.forgotten.insert((id, issue));
                }
            }
        }
    }

    /// The run is over or stands still: workers are told, what is not needed is taken away.
    pub(super) async fn close(&mut self) {
        // A short run may end between two ticks: who did not play is said all the same.
        let _ = tokio::time::timeout(FAREWELL, self.look_around()).await;
        let finish = self.hall.director.borrow_mut().finish();
        let over = match finish.event() {
            What::RunOver { reason } => Some(reason),
            _ => None,
        };
        (self.notice.state, self.notice.reason) = match (over, self.notice.state) {
            (Some(reason), _) => (State::Stopped, reason),
            (None, State::Cancelled) => (State::Cancelled, "cancelled".to_owned()),
            (None, _) => (State::Paused, "the coordinator stopped".to_owned()),
        };
        let farewell = tokio::time::timeout(FAREWELL, async {
            while let Err(why) = self.say_farewell().await {
                self.say_once(&why);
                tokio::time::sleep(TICK).await;
            }
        });
        if farewell.await.is_err() {
            self.hall.say(
                "fleet: the server could not be told that the run stands still",
                "机群：未能通知服务器比赛已停下",
            );
        }
    }

    async fn say_farewell(&mut self) -> Result<(), String> {
        self.count_up();
        self.notice.out = 0;
        loop {
            let revision = self.link.notice(&self.run).await?.map_or(0, |(_, revision)| revision);
            if self.link.set_notice(&self.run, &self.notice, revision).await? {
                break;
            }
        }
        if self.notice.state != State::Paused {
            self.link.purge(WORK, &self.run.work("*")).await?;
        }
        self.link.flush().await;
        Ok(())
    }
}
