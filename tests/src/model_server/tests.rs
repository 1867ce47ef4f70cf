use serde_json::{Value, json};

use super::{Fault, Hold, ModelServer, Script, rule};

fn body(messages: Value) -> Value {
    json!({"model": "scripted", "stream": true, "messages": messages, "tools": [
        {"type": "function", "function": {"name": "shop_cart_add", "parameters": {}}}]})
}

async fn ask(url: &str, body: &Value) -> String {
    let response = reqwest::Client::new()
        .post(url)
        .json(body)
        .send()
        .await
        .expect("an answer");
    response.text().await.expect("text")
}

/// The chunks of an OpenAI stream.
fn chunks(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter(|data| *data != "[DONE]");
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

fn joined(chunks: &[Value], pointer: &str) -> String {
    chunks
        .iter()
        .filter_map(|chunk| chunk.pointer(pointer)?.as_str())
        .collect()
}

#[tokio::test]
async fn one_script_answers_on_both_wires() {
    let script = [
        rule("Mug")
            .says("I add it.")
            .calls("cart.add", json!({"name": "Becher ☕"})),
        rule("mug").told("refused").says("It was refused."),
        rule("").always().says("Hm."),
    ];
    let server = ModelServer::start(script).await;
    let first = body(json!([{"role": "system", "content": "s"}, {"role": "user", "content": "Add a mug"}]));
    let later =
        body(json!([{"role": "user", "content": "Add a mug"}, {"role": "tool", "content": "It was refused: no"}]));
    let other = body(
        json!([{"role": "user", "content": "Add a mug"}, {"role": "tool", "content": "x"}, {"role": "user", "content": "hi"}]),
    );

    let openai = format!("{}/chat/completions", server.openai_url());
    let stream = ask(&openai, &first).await;
    let said = chunks(&stream);
    assert!(stream.ends_with("data: [DONE]\n\n"), "{stream}");
    assert_eq!(joined(&said, "/choices/0/delta/content"), "I add it.");
    assert_eq!(
        joined(&said, "/choices/0/delta/tool_calls/0/function/name"),
        "shop_cart_add"
    );
    assert_eq!(
        joined(&said, "/choices/0/delta/tool_calls/0/function/arguments"),
        r#"{"name":"Becher ☕"}"#
    );
    assert_eq!(joined(&said, "/choices/0/finish_reason"), "tool_calls");
    assert_eq!(
        joined(&chunks(&ask(&openai, &later).await), "/choices/0/delta/content"),
        "It was refused."
    );
    assert_eq!(
        joined(&chunks(&ask(&openai, &other).await), "/choices/0/delta/content"),
        "Hm."
    );

    let stream = ask(&format!("{}/api/chat", server.url()), &first).await;
    let lines: Vec<Value> = stream
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(joined(&lines, "/message/content"), "I add it.");
    let function = lines
        .iter()
        .find_map(|line| line.pointer("/message/tool_calls/0/function"));
    assert_eq!(
        function,
        Some(&json!({"index": 0, "name": "shop_cart_add", "arguments": {"name": "Becher ☕"}}))
    );
    assert_eq!(lines.last().map(|line| &line["done"]), Some(&json!(true)));

    assert_eq!(server.turns(), [first.clone(), later, other, first]);
    assert_eq!(server.requests()[1].results(), ["It was refused: no"]);
}

#[tokio::test]
async fn a_held_reply_waits_in_the_middle() {
    let hold = Hold::default();
    let server = ModelServer::start([rule("").says("one two three four").held_by(&hold)]).await;
    let asked = body(json!([{"role": "user", "content": "go"}]));
    let client = reqwest::Client::new();
    let mut response = client
        .post(format!("{}/api/chat", server.url()))
        .json(&asked)
        .send()
        .await
        .expect("an answer");
    assert_eq!(server.turn(1).await, asked);
    let mut seen = String::new();
    while seen.matches('\n').count() < 2 {
        let more = response.chunk().await.expect("no fault").expect("the first half comes");
        seen += &String::from_utf8_lossy(&more);
    }
    assert!(!seen.contains("e four"), "{seen}");
    hold.let_go();
    while let Some(more) = response.chunk().await.expect("no fault") {
        seen += &String::from_utf8_lossy(&more);
    }
    assert!(seen.contains("e four") && seen.contains(r#""done":true"#), "{seen}");
}

#[tokio::test]
async fn faults_and_the_key() {
    let busy = Fault::Status {
        status: 503,
        body: r#"{"error":"busy"}"#.into(),
        retry_after: Some(7),
    };
    let script = Script::new([
        rule("busy").fails(busy),
        rule("empty").fails(Fault::Empty),
        rule("cut").says("some words").fails(Fault::CutOff),
        rule("broken").says("a").fails(Fault::InStream {
            message: "out of memory".into(),
        }),
        rule("long").calls_with("cart.add", "{\"n\":").fails(Fault::Length),
    ]);
    let server = ModelServer::start(script.clone()).await;
    let openai = format!("{}/chat/completions", server.openai_url());
    let asked = |prompt: &str| body(json!([{"role": "user", "content": prompt}]));
    let response = reqwest::Client::new()
        .post(&openai)
        .json(&asked("busy"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(
        (response.status().as_u16(), response.headers()["retry-after"].as_bytes()),
        (503, &b"7"[..])
    );
    assert_eq!(ask(&openai, &asked("empty")).await, "");
    assert!(!ask(&openai, &asked("cut")).await.ends_with('\n'));
    assert!(
        ask(&openai, &asked("broken"))
            .await
            .ends_with("{\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\"}}\n\n")
    );
    assert_eq!(
        joined(&chunks(&ask(&openai, &asked("long")).await), "/choices/0/finish_reason"),
        "length"
    );

    server.follow(script.with_key("sk-1"));
    let models = format!("{}/models", server.openai_url());
    let client = reqwest::Client::new();
    let status = |key| client.get(&models).bearer_auth(key).send();
    assert_eq!(status("sk-2").await.expect("an answer").status().as_u16(), 401);
    let list: Value = status("sk-1").await.expect("an answer").json().await.expect("JSON");
    assert_eq!(list["data"][0]["id"], json!("scripted"));
}
