//! The connection to a NATS server with JetStream, and what stands there: streams of work and results, buckets
//! of runs and workers, the store of engines. Never decides what is said. Start at [`Link`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, kv, message::PublishMessage, object_store};
use async_nats::{Client, ConnectOptions};
use tokio_stream::StreamExt as _;

use super::message::{Card, Notice, is_name, read, read_token, write};
use crate::tournament::GameId;

/// The stream of pairs to be played.
pub const WORK: &str = "XQ_WORK";
/// The stream of results: one a pair, for ever.
pub const RESULT: &str = "XQ_RESULT";
/// The stream of the server's word on pairs whose workers all fell silent.
pub const DEAD: &str = "XQ_DEAD";
/// The bucket of runs.
const MATCH: &str = "XQ_MATCH";
/// The bucket of workers.
const WORKER: &str = "XQ_WORKER";
/// The store of engines.
const ENGINE: &str = "XQ_ENGINE";

/// Subjects of the server's word on pairs that were handed out too often.
const ADVISORIES: &str = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.XQ_WORK.>";

/// Within this time the server drops a pair that is published a second time: longer than any pause of a run.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(24 * 3600);

/// A worker that says nothing for so long is gone.
pub const WORKER_TTL: Duration = Duration::from_secs(60);

/// How long the server's word on silent workers is kept.
const DEAD_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// How often a pair is handed out before the coordinator is asked.
pub const MAX_DELIVER: i64 = 5;

/// Most pairs of a run that are with workers at once.
const MAX_OUT: i64 = 4096;

/// How long an answer of the server is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the first connection is tried.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a server that refuses connections is taken for one that is starting.
const AWAY: Duration = Duration::from_secs(5);

/// Where the server is.
#[derive(Debug, Clone)]
pub struct Address {
    /// `nats://HOST[:PORT]` or `tls://HOST[:PORT]`, several with commas between.
    pub url: String,
    /// Credentials file of NATS.
    pub creds: Option<PathBuf>,
    /// Certificate of the authority that signed the server's, where the system does not know it.
    pub ca: Option<PathBuf>,
}

/// Which run: who publishes it, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunName {
    /// Who publishes it.
    pub publisher: String,
    /// Its name.
    pub name: String,
}

impl RunName {
    /// Reads `publisher.name`.
    pub fn parse(text: &str) -> Option<RunName> {
        let (publisher, name) = text.split_once('.')?;
        let sound = is_name(publisher) && is_name(name);
        sound.then(|| RunName { publisher: publisher.to_owned(), name: name.to_owned() })
    }

    /// `publisher.name`.
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.publisher, self.name)
    }

    /// The subject of a pair to be played.
    pub fn work(&self, token: &str) -> String {
        format!("xq.work.{}.{token}", self.dotted())
    }

    /// The subject of its result.
    pub fn result(&self, token: &str) -> String {
        format!("xq.result.{}.{token}", self.dotted())
    }

    /// The consumer through which its pairs are handed out.
    pub fn consumer(&self) -> String {
        format!("{}_{}", self.publisher, self.name)
    }

    fn state(&self) -> String {
        format!("{}.state", self.dotted())
    }

    fn plan(&self) -> String {
        format!("{}.plan", self.dotted())
    }
}

/// How a stored result was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It is stored.
    Now,
    /// One was stored before: this one counts for nothing.
    Before,
}

/// The connection.
#[derive(Debug, Clone)]
pub struct Link {
    /// Publishes and asks.
    pub js: Context,
    client: Client,
}

/// An error of the server in words.
pub fn words(what: &str) -> impl Fn(&dyn std::fmt::Display) -> String + '_ {
    move |error| format!("the NATS server: cannot {what}: {error}")
}

/// Whether an error is one of a server that is away or not ready, and not its refusal.
pub fn is_passing(why: &str) -> bool {
    let words =
        ["timed out", "no responders", "not available", "no answer", "refused (os", "reset", "broken pipe"];
    words.iter().any(|word| why.to_lowercase().contains(word))
}

impl Link {
    /// Connects, on a thread of its own: traffic never holds up what the caller does.
    ///
    /// # Errors
    /// In words, why not.
    pub async fn connect(address: &Address, name: &str) -> Result<Link, String> {
        let (servers, user) = apart(&address.url);
        let shown = servers.join(",");
        let fail = |error: &dyn std::fmt::Display| format!("cannot connect to {shown}: {error}");
        let mut options = match &address.creds {
            None => ConnectOptions::new(),
            Some(file) => ConnectOptions::with_credentials_file(file)
                .await
                .map_err(|error| format!("credentials '{}': {error}", file.display()))?,
        };
        if let Some(ca) = &address.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some((user, password)) = user {
            options = options.user_and_password(user, password);
        }
        let options = options
            .name(format!("chuhe {name}"))
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(Duration::from_secs(10))
            .event_callback(|_| async {})
            .reconnect_delay_callback(|attempts| Duration::from_millis(100 * (attempts as u64).min(10)));
        let handle = network().map_err(|error| fail(&error))?;
        let began = tokio::time::Instant::now();
        let connecting = handle.spawn(async move {
            loop {
                match options.clone().connect(servers.clone()).await {
                    Err(error) if began.elapsed() < AWAY && is_passing(&error.to_string()) => {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                    }
                    connected => break connected,
                }
            }
        });
        let connected = tokio::time::timeout(CONNECT, connecting).await;
        let client = match connected {
            Err(_) => return Err(fail(&format!("no answer within {} s", CONNECT.as_secs()))),
            Ok(Err(error)) => return Err(fail(&error)),
            Ok(Ok(Err(error))) => return Err(fail(&error)),
            Ok(Ok(Ok(client))) => client,
        };
        let mut js = async_nats::jetstream::new(client.clone());
        js.set_timeout(PATIENCE);
        Ok(Link { js, client })
    }

    /// Makes the streams and buckets that are not there yet.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn furnish(&self) -> Result<(), String> {
        for config in [work(), results(), dead(), bucket(MATCH, Duration::ZERO), bucket(WORKER, WORKER_TTL)] {
            let what = format!("make the stream {}", config.name);
            self.js.get_or_create_stream(config).await.map_err(|error| words(&what)(&error))?;
        }
        if self.js.get_object_store(ENGINE).await.is_err() {
            let config =
                object_store::Config { bucket: ENGINE.to_owned(), ..object_store::Config::default() };
            self.js
                .create_object_store(config)
                .await
                .map_err(|error| words("make the engine store")(&error))?;
        }
        Ok(())
    }

    /// A stream.
    ///
    /// # Errors
    /// In words, why there is none.
    pub async fn stream(&self, name: &str) -> Result<Stream, String> {
        self.js.get_stream(name).await.map_err(|error| words(&format!("find the stream {name}"))(&error))
    }

    /// The store of engines.
    ///
    /// # Errors
    /// In words, why there is none.
    pub async fn engines(&self) -> Result<ObjectStore, String> {
        self.js.get_object_store(ENGINE).await.map_err(|error| words("find the engine store")(&error))
    }

    async fn bucket(&self, name: &str) -> Result<kv::Store, String> {
        self.js.get_key_value(name).await.map_err(|error| words(&format!("find the bucket {name}"))(&error))
    }

    /// The consumer of a run's pairs, made if it is not there.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn hand_out(&self, run: &RunName, lease: Duration) -> Result<(), String> {
        let config = pull::Config {
            durable_name: Some(run.consumer()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: MAX_DELIVER,
            max_ack_pending: MAX_OUT,
            filter_subject: run.work("*"),
            ..pull::Config::default()
        };
        let made = self.js.create_consumer_on_stream(config, WORK).await;
        made.map(drop).map_err(|error| words("make the consumer of the run")(&error))
    }

    /// A worker's end of that consumer.
    ///
    /// # Errors
    /// In words, why there is none.
    pub async fn pairs(&self, run: &RunName) -> Result<PullConsumer, String> {
        let found = self.js.get_consumer_from_stream(run.consumer(), WORK).await;
        found.map_err(|error| words("find the consumer of the run")(&error))
    }

    /// The messages of a stream under a subject, from a number on, in order and without an end.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn follow(&self, stream: &str, subject: String, from: u64) -> Result<pull::Ordered, String> {
        let config = pull::OrderedConfig {
            filter_subject: subject,
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from.max(1) },
            ..pull::OrderedConfig::default()
        };
        let fail = words("follow a stream");
        let stream = self.stream(stream).await?;
        let consumer = stream.create_consumer(config).await.map_err(|error| fail(&error))?;
        consumer.messages().await.map_err(|error| fail(&error))
    }

    /// Publishes a pair. Gives whether the server knew it already.
    ///
    /// # Errors
    /// In words, why it is not known to be stored.
    pub async fn publish(&self, subject: String, id: &str, bytes: Vec<u8>) -> Result<bool, String> {
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let fail = words("publish a pair");
        let sent = self.js.send_publish(subject, message).await.map_err(|error| fail(&error))?;
        Ok(sent.await.map_err(|error| fail(&error))?.duplicate)
    }

    /// Stores a result, unless one is there.
    ///
    /// # Errors
    /// In words, why it is not known to be stored.
    pub async fn store(&self, subject: String, bytes: Vec<u8>) -> Result<Stored, String> {
        let message = PublishMessage::build().payload(bytes.into()).expected_last_subject_sequence(0);
        let fail = words("store a result");
        let sent = self.js.send_publish(subject, message).await.map_err(|error| fail(&error))?;
        match sent.await {
            Ok(_) => Ok(Stored::Now),
            Err(error) if was_before(&error) => Ok(Stored::Before),
            Err(error) => Err(fail(&error)),
        }
    }

    /// The number of the last message under a subject.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn last(&self, stream: &str, subject: &str) -> Result<Option<u64>, String> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind as Kind;
        match self.stream(stream).await?.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(message.sequence)),
            Err(error) if error.kind() == Kind::NoMessageFound => Ok(None),
            Err(error) => Err(words("look for a message")(&error)),
        }
    }

    /// The pairs of a run that are at the server and not done.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn undone(&self, run: &RunName) -> Result<Vec<(GameId, u8)>, String> {
        let subjects = self.subjects(WORK, &run.work("*")).await?;
        Ok(subjects.iter().filter_map(|subject| read_token(subject.rsplit('.').next()?)).collect())
    }

    /// The subjects under which a stream holds messages.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn subjects(&self, stream: &str, filter: &str) -> Result<Vec<String>, String> {
        let fail = words("list subjects");
        let stream = self.stream(stream).await?;
        let mut info = stream.info_with_subjects(filter).await.map_err(|error| fail(&error))?;
        let mut found = Vec::new();
        while let Some(entry) = info.next().await {
            found.push(entry.map_err(|error| fail(&error))?.0);
        }
        Ok(found)
    }

    /// Takes a pair back that nobody is to play any more. One message is deleted by its number: a purge by
    /// subject makes old servers forget what other pairs are with workers.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn take_back(&self, subject: &str) -> Result<(), String> {
        let Some(number) = self.last(WORK, subject).await? else { return Ok(()) };
        let deleted = self.stream(WORK).await?.delete_message(number).await;
        deleted.map(drop).map_err(|error| words("take a pair back")(&error))
    }

    /// Whether no pair of a run is with a worker or waits for one, as far as the server knows.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn is_idle(&self, run: &RunName) -> Result<bool, String> {
        let info = self.stream(WORK).await?.consumer_info(run.consumer()).await;
        let info = info.map_err(|error| words("look at the consumer of the run")(&error))?;
        Ok(info.num_ack_pending == 0 && info.num_pending == 0)
    }

    /// Removes messages of a stream under a subject, of a run that stands still.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn purge(&self, stream: &str, subject: &str) -> Result<u64, String> {
        let purged = self.stream(stream).await?.purge().filter(subject).await;
        purged.map(|purged| purged.purged).map_err(|error| words("purge")(&error))
    }

    /// The runs there are, each with how it stands.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn runs(&self) -> Result<BTreeMap<RunName, Notice>, String> {
        let subjects = self.subjects(&format!("KV_{MATCH}"), &format!("$KV.{MATCH}.>")).await?;
        let mut runs = BTreeMap::new();
        for subject in subjects {
            let name = subject.strip_prefix(&format!("$KV.{MATCH}."));
            let run = name.and_then(|name| name.strip_suffix(".state")).and_then(RunName::parse);
            if let Some(run) = run
                && let Some((notice, _)) = self.notice(&run).await?
            {
                runs.insert(run, notice);
            }
        }
        Ok(runs)
    }

    /// How a run stands, with the revision for [`Link::set_notice`].
    ///
    /// # Errors
    /// In words, what the server refuses, or that it is no notice.
    pub async fn notice(&self, run: &RunName) -> Result<Option<(Notice, u64)>, String> {
        let Some((bytes, revision)) = self.value(MATCH, run.state()).await? else { return Ok(None) };
        Ok(Some((read(&bytes)?, revision)))
    }

    /// Says how a run stands, if nobody has said anything since `revision` (0: never). Gives whether it was so.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn set_notice(&self, run: &RunName, notice: &Notice, revision: u64) -> Result<bool, String> {
        let bytes = write(notice)?;
        let bucket = self.bucket(MATCH).await?;
        match bucket.update(run.state(), bytes.into(), revision).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == kv::UpdateErrorKind::WrongLastRevision => Ok(false),
            Err(error) => Err(words("say how the run stands")(&error)),
        }
    }

    /// A run's announcement, as bytes.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn announcement(&self, run: &RunName) -> Result<Option<Vec<u8>>, String> {
        Ok(self.value(MATCH, run.plan()).await?.map(|(bytes, _)| bytes))
    }

    /// Announces a run.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn announce(&self, run: &RunName, bytes: Vec<u8>) -> Result<(), String> {
        let bucket = self.bucket(MATCH).await?;
        let put = bucket.put(run.plan(), bytes.into()).await;
        put.map(drop).map_err(|error| words("announce the run")(&error))
    }

    /// Forgets a run: its pairs, its results, its consumer and what was said of it.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn forget(&self, run: &RunName) -> Result<(), String> {
        self.purge(WORK, &run.work("*")).await?;
        self.purge(RESULT, &run.result("*")).await?;
        let _ = self.js.delete_consumer_from_stream(run.consumer(), WORK).await;
        for key in [run.state(), run.plan()] {
            self.purge(&format!("KV_{MATCH}"), &format!("$KV.{MATCH}.{key}")).await?;
        }
        Ok(())
    }

    /// The workers there are.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn workers(&self) -> Result<BTreeMap<String, Card>, String> {
        let prefix = format!("$KV.{WORKER}.");
        let mut workers = BTreeMap::new();
        for subject in self.subjects(&format!("KV_{WORKER}"), &format!("{prefix}>")).await? {
            let Some(name) = subject.strip_prefix(&prefix).filter(|name| is_name(name)) else { continue };
            if let Some((bytes, _)) = self.value(WORKER, name.to_owned()).await?
                && let Ok(card) = read::<Card>(&bytes)
            {
                workers.insert(name.to_owned(), card);
            }
        }
        Ok(workers)
    }

    /// A worker says that it is there.
    ///
    /// # Errors
    /// In words, what the server refuses.
    pub async fn put_card(&self, worker: &str, card: &Card) -> Result<(), String> {
        let bucket = self.bucket(WORKER).await?;
        let put = bucket.put(worker, write(card)?.into()).await;
        put.map(drop).map_err(|error| words("say that the worker is there")(&error))
    }

    /// A worker says that it goes.
    pub async fn remove_card(&self, worker: &str) {
        if let Ok(bucket) = self.bucket(WORKER).await {
            let _ = bucket.delete(worker).await;
        }
    }

    async fn value(&self, bucket: &str, key: String) -> Result<Option<(Vec<u8>, u64)>, String> {
        let entry = self.bucket(bucket).await?.entry(key).await;
        let entry = entry.map_err(|error| words("read a bucket")(&error))?;
        let entry = entry.filter(|entry| entry.operation == kv::Operation::Put);
        Ok(entry.map(|entry| (entry.value.to_vec(), entry.revision)))
    }

    /// Everything that was said is sent.
    pub async fn flush(&self) {
        let _ = tokio::time::timeout(PATIENCE, self.client.flush()).await;
    }
}

/// Whether a result was refused because one is stored: 10071, or 10077, which comes with the code of an outage.
fn was_before(error: &PublishError) -> bool {
    if error.kind() == PublishErrorKind::WrongLastSequence {
        return true;
    }
    let source = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    source.contains("10077") || source.contains("maximum messages per subject exceeded")
}

/// Servers without user and password, which the client does not take from an address, and those apart: they are
/// never shown.
fn apart(url: &str) -> (Vec<String>, Option<(String, String)>) {
    let mut user = None;
    let mut bare = |one: &str| {
        let (scheme, rest) = one.trim().split_once("://").unwrap_or(("nats", one.trim()));
        let Some((name, host)) = rest.rsplit_once('@') else { return format!("{scheme}://{rest}") };
        let (name, password) = name.split_once(':').unwrap_or((name, ""));
        user.get_or_insert_with(|| (name.to_owned(), password.to_owned()));
        format!("{scheme}://{host}")
    };
    let servers = url.split(',').map(&mut bare).collect();
    (servers, user)
}

/// The thread on which all traffic runs.
fn network() -> std::io::Result<tokio::runtime::Handle> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("nats".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}

fn stream(name: &str, subject: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        num_replicas: 1,
        ..Config::default()
    }
}

fn work() -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        duplicate_window: DUPLICATE_WINDOW,
        ..stream(WORK, "xq.work.*.*.*")
    }
}

fn results() -> Config {
    Config {
        max_messages_per_subject: 1,
        discard_new_per_subject: true,
        deny_delete: true,
        ..stream(RESULT, "xq.result.*.*.*")
    }
}

fn dead() -> Config {
    Config { max_age: DEAD_AGE, discard: DiscardPolicy::Old, ..stream(DEAD, ADVISORIES) }
}

/// A bucket made by hand: the client's own way asks old servers what they do not answer.
fn bucket(name: &str, max_age: Duration) -> Config {
    Config {
        max_messages_per_subject: 1,
        max_age,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..stream(&format!("KV_{name}"), &format!("$KV.{name}.>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_apart_from_addresses() {
        let (servers, user) = apart("nats://a:b@one:4222, tls://two");
        assert_eq!(servers, ["nats://one:4222", "tls://two"]);
        assert_eq!(user, Some(("a".to_owned(), "b".to_owned())));
        assert_eq!(apart("nats://host"), (vec!["nats://host".to_owned()], None));
    }

    #[test]
    fn a_run_is_named_by_two_words() {
        let run = RunName { publisher: "alice".to_owned(), name: "x-1".to_owned() };
        assert_eq!(RunName::parse("alice.x-1"), Some(run));
        for wrong in ["alice", "alice.", ".x", "a.b.c", "a.*", "a.>"] {
            assert_eq!(RunName::parse(wrong), None, "{wrong}");
        }
    }
}
