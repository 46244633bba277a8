//! TLS to a server elsewhere: whom this machine trusts, and in words for people why a server is not trusted. Says
//! nothing of what is carried over it. Start at [`Trust`].

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, Error, RootCertStore, StreamOwned};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::site::Site;
use crate::engine::printable;
use crate::report::Lang;

/// Whose certificates count: those of the system, or of the files that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
#[derive(Debug, Clone)]
pub struct Trust(Arc<ClientConfig>);

/// Why no TLS connection comes about, where trying again is of no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distrust {
    /// There is no certificate that this machine trusts; what the system says.
    NoRoots(String),
    /// Nobody whom this machine trusts vouches for the server's.
    Issuer,
    /// The server's is made out for other names: these.
    Name(Vec<String>),
    /// It is not valid yet, or no more.
    Date,
    /// It is one for signing others, not for a server.
    Authority,
    /// It is not accepted for another reason: this one.
    Certificate(String),
    /// There is no common way of speaking; why.
    Other(String),
    /// The server does not speak TLS.
    Plain,
}

impl Trust {
    /// Reads whom this machine trusts.
    ///
    /// # Errors
    /// It trusts nobody.
    pub fn of_system() -> Result<Trust, Distrust> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            let why = found.errors.first().map_or_else(String::new, ToString::to_string);
            return Err(Distrust::NoRoots(why));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Distrust::Other(error.to_string()))?;
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Trust(Arc::new(config)))
    }

    /// Speaks TLS over a connection.
    ///
    /// # Errors
    /// The connection breaks, or the server is not trusted ([`Distrust::of`]).
    pub async fn join(
        &self,
        stream: tokio::net::TcpStream,
        site: &Site,
    ) -> std::io::Result<TlsStream<tokio::net::TcpStream>> {
        TlsConnector::from(Arc::clone(&self.0)).connect(name(site)?, stream).await
    }

    /// The same over a connection that waits.
    ///
    /// # Errors
    /// As [`Trust::join`].
    pub fn join_waiting(
        &self,
        mut stream: std::net::TcpStream,
        site: &Site,
    ) -> std::io::Result<StreamOwned<ClientConnection, std::net::TcpStream>> {
        let mut connection =
            ClientConnection::new(Arc::clone(&self.0), name(site)?).map_err(std::io::Error::other)?;
        connection.complete_io(&mut stream)?;
        Ok(StreamOwned::new(connection, stream))
    }
}

/// Whom the certificate has to name.
fn name(site: &Site) -> std::io::Result<ServerName<'static>> {
    let refused = |error| std::io::Error::new(std::io::ErrorKind::InvalidInput, error);
    ServerName::try_from(site.name().to_owned()).map_err(refused)
}

impl Distrust {
    /// Whether that is why a connection did not come about.
    pub fn of(error: &std::io::Error) -> Option<Distrust> {
        match error.get_ref()?.downcast_ref::<Error>()? {
            Error::InvalidCertificate(why) => Some(Distrust::of_certificate(why)),
            // What it answers is no TLS.
            Error::InvalidMessage(_) => Some(Distrust::Plain),
            error @ Error::PeerIncompatible(_) => Some(Distrust::Other(error.to_string())),
            // The library's errors, of which most are a broken connection's.
            _ => None,
        }
    }

    fn of_certificate(why: &CertificateError) -> Distrust {
        match why {
            // The second: by its name it is one whom we trust, but somebody else has signed it.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Distrust::Issuer,
            CertificateError::NotValidForName => Distrust::Name(Vec::new()),
            CertificateError::NotValidForNameContext { presented, .. } => Distrust::Name(presented.clone()),
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Distrust::Date,
            // The library gives this one no name of its own.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Distrust::Authority
            }
            other => Distrust::Certificate(other.to_string()),
        }
    }

    /// In words.
    pub fn words(&self, lang: Lang) -> String {
        let (english, chinese) = match self {
            Distrust::NoRoots(_) => (
                "this machine trusts no certificate at all: install ca-certificates, or name a file of them in \
                 SSL_CERT_FILE",
                "本机没有任何受信任的证书：请安装 ca-certificates，或用 SSL_CERT_FILE 指定证书文件",
            ),
            Distrust::Issuer => (
                "the server's certificate is not trusted: nobody whom this machine knows vouches for it (a CA of \
                 your own: SSL_CERT_FILE)",
                "不信任服务器的证书：签发者不为本机所知（自建 CA 请用 SSL_CERT_FILE 指定其证书）",
            ),
            Distrust::Name(_) => {
                ("the server's certificate is made out for another name", "服务器的证书是签给别的名称的")
            }
            Distrust::Date => (
                "the server's certificate is not valid today, or the clock of this machine is wrong",
                "服务器的证书不在有效期内，或本机时钟不准",
            ),
            Distrust::Authority => (
                "the server's certificate is one for signing others (CA:TRUE), not for a server",
                "服务器的证书是签发用的 CA 证书（CA:TRUE），不是服务器证书",
            ),
            Distrust::Certificate(_) => ("the server's certificate is not accepted", "服务器的证书不被接受"),
            Distrust::Other(_) => ("no TLS connection comes about", "无法建立 TLS 连接"),
            Distrust::Plain => (
                "the server does not speak TLS there; is http:// meant?",
                "该服务器端口不使用 TLS，是否应为 http://？",
            ),
        };
        let words = lang.pick(english, chinese).to_owned();
        let more = match self {
            Distrust::NoRoots(why) | Distrust::Certificate(why) | Distrust::Other(why) => {
                printable(why.as_bytes())
            }
            Distrust::Name(names) => printable(names.join(", ").as_bytes()),
            Distrust::Issuer | Distrust::Date | Distrust::Authority | Distrust::Plain => String::new(),
        };
        if more.is_empty() { words } else { format!("{words}{}{more}", lang.pick(": ", "：")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_final_and_what_is_tried_again() {
        let of = |error: Error| Distrust::of(&std::io::Error::new(std::io::ErrorKind::InvalidData, error));
        assert_eq!(of(CertificateError::UnknownIssuer.into()), Some(Distrust::Issuer));
        assert_eq!(of(CertificateError::Expired.into()), Some(Distrust::Date));
        assert_eq!(of(Error::HandshakeNotComplete), None);
        assert_eq!(Distrust::of(&std::io::ErrorKind::ConnectionReset.into()), None);
        let name = Distrust::Name(vec!["a\u{1b}".to_owned(), "b".to_owned()]);
        assert!(name.words(Lang::English).ends_with("another name: a , b"), "{name:?}");
        assert!(name.words(Lang::Chinese).contains("名称的：a"), "{name:?}");
    }
}
