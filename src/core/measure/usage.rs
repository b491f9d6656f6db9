//! Reads what providers report about one response, whatever their field names.
//!
//! Decides what counts as the prompt: some providers report cached tokens beside the input, some inside.
//! Refuses sums over steps and zeros: a zero means nobody counted. Sources: the providers' SDK types.

use serde::{Deserialize, Serialize};

/// One response's usage, normalised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The whole prompt, cached parts included; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u32>,
    /// The part of it read from the prefix cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u32>,
    /// The part of it written to the prefix cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u32>,
    /// Everything generated, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
    /// The reasoning within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u32>,
    /// The reported total contradicts its parts; the parts are what counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inconsistent: bool,
}

/// A number, or an object that carries a total.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Count {
    Number(f64),
    Object {
        total: Option<f64>,
        #[serde(rename = "cacheRead")]
        cache_read: Option<f64>,
        #[serde(rename = "cacheWrite")]
        cache_write: Option<f64>,
        reasoning: Option<f64>,
    },
}

impl Count {
    fn total(self) -> Option<f64> {
        match self {
            Count::Number(n) => Some(n),
            Count::Object { total, .. } => total,
        }
    }
}

/// The union of the providers' usage objects; unknown fields are theirs to add.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawUsage {
    // Anthropic, and OpenAI Responses under the same name.
    input_tokens: Option<f64>,
    output_tokens: Option<f64>,
    cache_read_input_tokens: Option<f64>,
    cache_creation_input_tokens: Option<f64>,
    iterations: Option<Vec<Iteration>>,
    input_tokens_details: Option<Details>,
    output_tokens_details: Option<Details>,
    // OpenAI Chat.
    prompt_tokens: Option<f64>,
    completion_tokens: Option<f64>,
    prompt_tokens_details: Option<Details>,
    completion_tokens_details: Option<Details>,
    // Gemini.
    #[serde(rename = "promptTokenCount")]
    prompt_token_count: Option<f64>,
    #[serde(rename = "cachedContentTokenCount")]
    cached_content_token_count: Option<f64>,
    #[serde(rename = "candidatesTokenCount")]
    candidates_token_count: Option<f64>,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts_token_count: Option<f64>,
    // AI SDK (flat since v5; the provider level nests), and Bedrock Converse, which shares the names.
    #[serde(rename = "inputTokens")]
    sdk_input: Option<Count>,
    #[serde(rename = "outputTokens")]
    sdk_output: Option<Count>,
    #[serde(rename = "inputTokenDetails")]
    sdk_input_details: Option<SdkDetails>,
    #[serde(rename = "outputTokenDetails")]
    sdk_output_details: Option<SdkDetails>,
    #[serde(rename = "cachedInputTokens")]
    sdk_cached: Option<f64>,
    #[serde(rename = "reasoningTokens")]
    sdk_reasoning: Option<f64>,
    #[serde(rename = "cacheReadInputTokens")]
    bedrock_cache_read: Option<f64>,
    #[serde(rename = "cacheWriteInputTokens")]
    bedrock_cache_write: Option<f64>,
    // LangChain.
    input_token_details: Option<LangChainDetails>,
    output_token_details: Option<Reasoned>,
    // DeepSeek: the prompt in two parts.
    prompt_cache_hit_tokens: Option<f64>,
    // Codex: the cached part is inside the input.
    cached_input_tokens: Option<f64>,
    reasoning_output_tokens: Option<f64>,
    // Logs of agents: the cached part beside the input (opencode, pi) or inside it (Gemini CLI).
    input: Option<f64>,
    output: Option<f64>,
    reasoning: Option<f64>,
    cache: Option<Cached>,
    #[serde(rename = "cacheRead")]
    cache_read: Option<f64>,
    #[serde(rename = "cacheWrite")]
    cache_write: Option<f64>,
    cached: Option<f64>,
    thoughts: Option<f64>,
    // What each calls the sum.
    total_tokens: Option<f64>,
    #[serde(rename = "totalTokens")]
    sdk_total: Option<f64>,
    #[serde(rename = "totalTokenCount")]
    gemini_total: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Reasoned {
    reasoning: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Cached {
    read: Option<f64>,
    write: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Option<f64>,
    cache_write_tokens: Option<f64>,
    reasoning_tokens: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SdkDetails {
    cache_read_tokens: Option<f64>,
    cache_write_tokens: Option<f64>,
    reasoning_tokens: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainDetails {
    cache_read: Option<f64>,
    cache_creation: Option<f64>,
}

/// A part of a response with server-side compaction; only its last `message` is the window.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Iteration {
    r#type: String,
    input_tokens: Option<f64>,
    output_tokens: Option<f64>,
    cache_read_input_tokens: Option<f64>,
    cache_creation_input_tokens: Option<f64>,
}

impl RawUsage {
    /// The normalised reading.
    pub fn read(&self) -> Usage {
        let mut usage = self.read_parts();
        usage.inconsistent = self.contradicts(&usage);
        usage
    }

    /// Whether the reported total is neither of the sums that providers report.
    fn contradicts(&self, usage: &Usage) -> bool {
        let (Some(total), Some(input)) = (self.total_tokens.or(self.sdk_total).or(self.gemini_total), usage.input_tokens) else { return false };
        let [input, output, reasoning] = [Some(input), usage.output_tokens, usage.reasoning_tokens].map(|n| f64::from(n.unwrap_or(0)));
        let cached = f64::from(usage.cache_read_tokens.unwrap_or(0)) + f64::from(usage.cache_write_tokens.unwrap_or(0));
        let near = |sum: f64| (total - sum).abs() <= (0.05 * sum).max(64.0);
        let sums = [input + output, input + output + reasoning, input + output - cached, input, input + output - reasoning];
        total > 0.0 && !sums.into_iter().any(near)
    }

    fn read_parts(&self) -> Usage {
        if let Some(last) = self.iterations.as_ref().and_then(|i| i.iter().rev().find(|i| i.r#type == "message")) {
            return anthropic(last.input_tokens, last.cache_read_input_tokens, last.cache_creation_input_tokens, last.output_tokens);
        }
        if let Some(input) = self.prompt_token_count {
            let output = self.candidates_token_count.map(|c| c + self.thoughts_token_count.unwrap_or(0.0));
            return build(Some(input), self.cached_content_token_count, None, output, self.thoughts_token_count);
        }
        if self.prompt_tokens.is_some() {
            let d = self.prompt_tokens_details.clone().unwrap_or_default();
            let reasoning = self.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens);
            return build(self.prompt_tokens, d.cached_tokens.or(self.prompt_cache_hit_tokens), d.cache_write_tokens, self.completion_tokens, reasoning);
        }
        if let Some(input) = self.sdk_input {
            return self.read_sdk(input);
        }
        if self.input_tokens_details.is_some() || self.output_tokens_details.is_some() {
            let d = self.input_tokens_details.clone().unwrap_or_default();
            let reasoning = self.output_tokens_details.as_ref().and_then(|d| d.reasoning_tokens);
            return build(self.input_tokens, d.cached_tokens, d.cache_write_tokens, self.output_tokens, reasoning);
        }
        if let Some(d) = &self.input_token_details {
            let reasoning = self.output_token_details.as_ref().and_then(|d| d.reasoning);
            return build(self.input_tokens, d.cache_read, d.cache_creation, self.output_tokens, reasoning);
        }
        if self.cached_input_tokens.is_some() || self.reasoning_output_tokens.is_some() {
            return build(self.input_tokens, self.cached_input_tokens, None, self.output_tokens, self.reasoning_output_tokens);
        }
        if let Some(input) = self.input {
            return self.read_log(input);
        }
        anthropic(self.input_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens, self.output_tokens)
    }

    /// Gemini's CLI counts cached tokens inside the input and thoughts beside the output; the others the
    /// other way round.
    fn read_log(&self, input: f64) -> Usage {
        if self.cached.is_some() || self.thoughts.is_some() {
            let output = self.output.map(|o| o + self.thoughts.unwrap_or(0.0));
            return build(Some(input), self.cached, None, output, self.thoughts);
        }
        let cache = self.cache.clone().unwrap_or_default();
        let usage = anthropic(Some(input), cache.read.or(self.cache_read), cache.write.or(self.cache_write), self.output);
        Usage { reasoning_tokens: tokens(self.reasoning), ..usage }
    }

    fn read_sdk(&self, input: Count) -> Usage {
        let (read, write) = match input {
            Count::Object { cache_read, cache_write, .. } => (cache_read, cache_write),
            Count::Number(_) => (None, None),
        };
        let details = self.sdk_input_details.clone().unwrap_or_default();
        let reasoning = match self.sdk_output {
            Some(Count::Object { reasoning, .. }) => reasoning,
            _ => self.sdk_output_details.as_ref().and_then(|d| d.reasoning_tokens).or(self.sdk_reasoning),
        };
        let output = self.sdk_output.and_then(Count::total);
        if self.bedrock_cache_read.is_some() || self.bedrock_cache_write.is_some() {
            return anthropic(input.total(), self.bedrock_cache_read, self.bedrock_cache_write, output);
        }
        build(input.total(), read.or(details.cache_read_tokens).or(self.sdk_cached), write.or(details.cache_write_tokens), output, reasoning)
    }
}

/// Cached parts are reported beside the input and added to it.
fn anthropic(input: Option<f64>, read: Option<f64>, write: Option<f64>, output: Option<f64>) -> Usage {
    let total = input.map(|i| i + read.unwrap_or(0.0) + write.unwrap_or(0.0));
    build(total, read, write, output, None)
}

fn build(input: Option<f64>, read: Option<f64>, write: Option<f64>, output: Option<f64>, reasoning: Option<f64>) -> Usage {
    Usage {
        // Zero means that nobody counted: no request has an empty prompt.
        input_tokens: tokens(input).filter(|n| *n > 0),
        cache_read_tokens: tokens(read),
        cache_write_tokens: tokens(write),
        output_tokens: tokens(output).filter(|n| *n > 0),
        reasoning_tokens: tokens(reasoning),
        inconsistent: false,
    }
}

fn tokens(n: Option<f64>) -> Option<u32> {
    n.filter(|n| n.is_finite() && *n >= 0.0 && *n < 2_147_483_648.0).map(|n| n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Usage {
        serde_json::from_str::<RawUsage>(json).expect("test json").read()
    }

    #[test]
    fn m2_cached_tokens_are_added_or_included_as_the_provider_counts_them() {
        let a = read(r#"{"input_tokens":500,"cache_creation_input_tokens":2000,"cache_read_input_tokens":97500}"#);
        assert_eq!(a.input_tokens, Some(100_000));
        let r = read(r#"{"input_tokens":100000,"input_tokens_details":{"cached_tokens":97500},"output_tokens":5}"#);
        assert_eq!((r.input_tokens, r.cache_read_tokens), (Some(100_000), Some(97_500)));
    }

    #[test]
    fn each_provider_by_its_own_names() {
        let chat = read(r#"{"prompt_tokens":120,"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":20}}"#);
        assert_eq!((chat.input_tokens, chat.output_tokens, chat.reasoning_tokens), (Some(120), Some(30), Some(20)));
        let gemini = read(r#"{"promptTokenCount":50,"cachedContentTokenCount":10,"candidatesTokenCount":7,"thoughtsTokenCount":3}"#);
        assert_eq!((gemini.input_tokens, gemini.output_tokens), (Some(50), Some(10)));
        let sdk = read(r#"{"inputTokens":300,"inputTokenDetails":{"cacheReadTokens":200},"outputTokens":9}"#);
        assert_eq!((sdk.input_tokens, sdk.cache_read_tokens, sdk.output_tokens), (Some(300), Some(200), Some(9)));
        let v4 = read(r#"{"inputTokens":{"total":300,"noCache":100,"cacheRead":200},"outputTokens":{"total":9,"reasoning":4}}"#);
        assert_eq!((v4.input_tokens, v4.cache_read_tokens, v4.reasoning_tokens), (Some(300), Some(200), Some(4)));
        let bedrock = read(r#"{"inputTokens":10,"cacheReadInputTokens":90,"outputTokens":1}"#);
        assert_eq!(bedrock.input_tokens, Some(100));
    }

    #[test]
    fn a_total_that_contradicts_its_parts_is_told_and_not_believed() {
        let odd = read(r#"{"inputTokens":21000,"outputTokens":900,"reasoningTokens":400,"totalTokens":188000}"#);
        assert_eq!((odd.input_tokens, odd.inconsistent), (Some(21_000), true));
        for fine in [
            r#"{"inputTokens":21000,"outputTokens":900,"totalTokens":21900}"#,
            r#"{"promptTokenCount":500,"candidatesTokenCount":40,"thoughtsTokenCount":300,"totalTokenCount":840}"#,
            r#"{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}"#,
        ] {
            assert!(!read(fine).inconsistent, "{fine}");
        }
    }

    #[test]
    fn logs_of_agents_by_their_own_names() {
        let opencode = read(r#"{"input":9,"output":20,"reasoning":5,"cache":{"read":1000,"write":11}}"#);
        assert_eq!((opencode.input_tokens, opencode.reasoning_tokens), (Some(1_020), Some(5)));
        let pi = read(r#"{"input":9,"output":20,"cacheRead":1000,"cacheWrite":11}"#);
        assert_eq!(pi.input_tokens, Some(1_020));
        let gemini = read(r#"{"input":500,"output":20,"cached":400,"thoughts":30,"tool":0,"total":550}"#);
        assert_eq!((gemini.input_tokens, gemini.cache_read_tokens, gemini.output_tokens), (Some(500), Some(400), Some(50)));
        let codex = read(r#"{"input_tokens":500,"cached_input_tokens":400,"output_tokens":50,"reasoning_output_tokens":30,"total_tokens":550}"#);
        assert_eq!((codex.input_tokens, codex.reasoning_tokens, codex.inconsistent), (Some(500), Some(30), false));
    }

    #[test]
    fn server_compaction_counts_its_last_message_and_zero_is_unknown() {
        let c =
            read(r#"{"input_tokens":220,"iterations":[{"type":"compaction","input_tokens":55196},{"type":"message","input_tokens":220,"output_tokens":8}]}"#);
        assert_eq!(c.input_tokens, Some(220));
        assert_eq!(read(r#"{"inputTokens":0,"outputTokens":0}"#), Usage::default());
    }
}
