//! A proxy that ends TLS before a plain server, as a hall has one, with a certificate authority of its own; it can
//! be cut, and change its certificate. Judges nothing. Start at [`Proxy`].

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio::net::{TcpListener as AsyncListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A certificate authority of a test.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: (CertificateDer<'static>, PrivateKeyDer<'static>),
    /// Its certificate, for whoever is to trust it.
    pub pem: String,
}

/// What a server shows, and the key to it.
pub type Identity = Arc<ServerConfig>;

impl Authority {
    pub fn new(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let own = (certificate.der().clone(), private(&key));
        Authority { pem: certificate.pem(), own, issuer: Issuer::new(params, key) }
    }

    /// A server of this name, valid from and to the first of January of years.
    pub fn server(&self, name: &str, years: [i32; 2]) -> Identity {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(years[0], 1, 1);
        params.not_after = rcgen::date_time_ymd(years[1], 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        identity(certificate.der().clone(), private(&key), rustls::ALL_VERSIONS)
    }

    /// A server that shows the authority's own certificate.
    pub fn itself(&self) -> Identity {
        identity(self.own.0.clone(), self.own.1.clone_key(), rustls::ALL_VERSIONS)
    }

    /// A server of this name that speaks nothing newer than TLS 1.2.
    pub fn old_server(&self, name: &str) -> Identity {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        identity(certificate.der().clone(), private(&key), &[&rustls::version::TLS12])
    }
}

fn private(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::try_from(key.serialize_der()).unwrap()
}

fn identity(
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> Identity {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

/// A proxy with TLS before a server on this machine.
pub struct Proxy {
    port: u16,
    server: Arc<OnceLock<String>>,
    shown: Arc<Mutex<Identity>>,
    cuts: watch::Sender<()>,
    joined: Arc<AtomicUsize>,
}

impl Proxy {
    /// Listens; what comes waits until it is told before which server it stands.
    pub fn showing(identity: &Identity) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let proxy = Proxy {
            port: listener.local_addr().unwrap().port(),
            server: Arc::default(),
            shown: Arc::new(Mutex::new(Arc::clone(identity))),
            cuts: watch::channel(()).0,
            joined: Arc::default(),
        };
        let (server, shown) = (Arc::clone(&proxy.server), Arc::clone(&proxy.shown));
        let (cuts, joined) = (proxy.cuts.clone(), Arc::clone(&proxy.joined));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
            runtime.block_on(async {
                let listener = AsyncListener::from_std(listener).unwrap();
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let Some(server) = server.get().cloned() else { continue };
                    let acceptor = TlsAcceptor::from(Arc::clone(&shown.lock().unwrap()));
                    let (mut cut, joined) = (cuts.subscribe(), Arc::clone(&joined));
                    tokio::spawn(async move {
                        tokio::select! {
                            // Dropped as they stand: neither TLS nor HTTP hears a word.
                            _ = cut.changed() => {}
                            () = carry(client, &acceptor, &server, &joined) => {}
                        }
                    });
                }
            });
        });
        proxy
    }

    /// Stands before a server, `HOST:PORT`, from now on.
    pub fn before(&self, server: &str) {
        self.server.set(server.to_owned()).unwrap();
    }

    /// `https://` and how it is called, if it is called so.
    pub fn base(&self, name: &str) -> String {
        format!("https://{name}:{}", self.port)
    }

    /// Shows another certificate from the next connection on.
    pub fn show(&self, identity: &Identity) {
        *self.shown.lock().unwrap() = Arc::clone(identity);
    }

    /// Breaks all connections that there are.
    pub fn cut(&self) {
        self.cuts.send_replace(());
    }

    /// How many clients have trusted it.
    pub fn joined(&self) -> usize {
        self.joined.load(Ordering::SeqCst)
    }
}

async fn carry(client: TcpStream, acceptor: &TlsAcceptor, server: &str, joined: &AtomicUsize) {
    client.set_nodelay(true).unwrap();
    let Ok(mut client) = acceptor.accept(client).await else { return };
    joined.fetch_add(1, Ordering::SeqCst);
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    server.set_nodelay(true).unwrap();
    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
}
