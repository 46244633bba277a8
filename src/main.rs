//! placeholder
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a.len() > 2 {
        let p = chuhe::xiangqi::Position::from_fen(&a[1]).unwrap();
        println!("{}", chuhe::xiangqi::perft(&p, a[2].parse().unwrap()));
        return;
    }
    let data: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("/work/shared/data/perft.json").unwrap()).unwrap();
    let mut n = 0;
    let t = std::time::Instant::now();
    let mut nodes = 0u64;
    for row in data.as_array().unwrap() {
        let want = row["nodes"].as_u64().unwrap();
        if want > 50_000_000 {
            continue;
        }
        let p = chuhe::xiangqi::Position::from_fen(row["fen"].as_str().unwrap()).unwrap();
        let got = chuhe::xiangqi::perft(&p, row["depth"].as_u64().unwrap() as u32);
        n += 1;
        nodes += got;
        if got != want {
            println!("WRONG {row} got {got}");
        }
    }
    println!("{n} rows, {} nodes/s", nodes as f64 / t.elapsed().as_secs_f64());
}
