//! A proxy between two ends on this machine: it holds back everything for a while, each way, can be cut and let
//! through again, and can go dead without a word. Knows nothing of what it carries. Start at [`Proxy::before`].

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

/// A proxy before a server of this machine.
pub struct Proxy {
    port: u16,
    cut: Arc<AtomicBool>,
    /// How many connections there were, and up to which nothing is carried any more.
    count: Arc<AtomicUsize>,
    dead: Arc<AtomicUsize>,
}

impl Proxy {
    /// `delay` is that of each way and may be nought.
    pub fn before(server: u16, delay: Duration) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicBool::new(false));
        let (count, dead) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (flag, counted, stalled) = (Arc::clone(&cut), Arc::clone(&count), Arc::clone(&dead));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if flag.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
                let stalls = || (number, Arc::clone(&stalled));
                let ends = (client.try_clone().unwrap(), server.try_clone().unwrap());
                carry(ends, delay, Arc::clone(&flag), stalls());
                carry((server, client), delay, Arc::clone(&flag), stalls());
            }
        });
        Proxy { port, cut, count, dead }
    }

    /// `HOST:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// From now on the connections there are carry nothing, and are not closed.
    pub fn stall(&self) {
        self.dead.store(self.count.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Cuts all connections, and lets no new one through, or lets them through again.
    pub fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::SeqCst);
    }
}

/// Bytes under way, each with the moment at which it is due.
type UnderWay = Arc<(Mutex<VecDeque<(Instant, Vec<u8>)>>, Condvar)>;

/// Carries bytes one way, each `delay` later, until the line is cut.
fn carry(
    (mut from, mut to): (TcpStream, TcpStream),
    delay: Duration,
    cut: Arc<AtomicBool>,
    (number, dead): (usize, Arc<AtomicUsize>),
) {
    from.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let queue: UnderWay = Arc::default();
    let (take, cut_too) = (Arc::clone(&queue), Arc::clone(&cut));
    let (ended, is_ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        loop {
            let mut waiting = take.0.lock().unwrap();
            let next = loop {
                if cut_too.load(Ordering::SeqCst) {
                    return;
                }
                if let Some(next) = waiting.pop_front() {
                    break next;
                }
                if is_ended.try_recv() == Err(mpsc::TryRecvError::Disconnected) {
                    let _ = to.shutdown(Shutdown::Both);
                    return;
                }
                waiting = take.1.wait_timeout(waiting, Duration::from_millis(20)).unwrap().0;
            };
            drop(waiting);
            std::thread::sleep(next.0.saturating_duration_since(Instant::now()));
            if cut_too.load(Ordering::SeqCst) || to.write_all(&next.1).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 14];
        while !cut.load(Ordering::SeqCst) {
            match from.read(&mut bytes) {
                Ok(_) if number <= dead.load(Ordering::SeqCst) => {
                    std::thread::sleep(Duration::from_millis(5))
                }
                Ok(0) => break,
                Ok(count) => {
                    queue.0.lock().unwrap().push_back((Instant::now() + delay, bytes[..count].to_vec()));
                    queue.1.notify_one();
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) => {}
                Err(_) => break,
            }
        }
        if cut.load(Ordering::SeqCst) {
            let _ = from.shutdown(Shutdown::Both);
        }
        drop(ended);
    });
}
