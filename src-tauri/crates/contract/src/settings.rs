use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Beside, ClientSettings, MarkedRead, McpBSettings, RelaySettings, SitePolicy};

/// Which kind of model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum ProviderKind {
    /// No model: tools are called by hand.
    None,
    /// OpenAI's own service.
    Openai,
    /// Any server that speaks OpenAI's chat completions.
    OpenaiCompatible,
    /// Ollama.
    Ollama,
}

/// What the person chose. Keys are not in here: they live in the vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct Settings {
    /// The kind of model in use.
    pub provider: ProviderKind,
    /// The person picked it; until then a running Ollama is picked by itself.
    pub provider_chosen: bool,
    /// Base address of the OpenAI-compatible server, such as `http://127.0.0.1:8080/v1`.
    pub openai_compatible_url: String,
    /// Model on OpenAI.
    pub openai_model: String,
    /// Model on the OpenAI-compatible server.
    pub openai_compatible_model: String,
    /// Address of Ollama.
    pub ollama_url: String,
    /// Model on Ollama.
    pub ollama_model: String,
    /// The browser's program; empty to look for one.
    pub browser_path: String,
    /// Rounds of model and tools in one turn before it stops.
    pub round_limit: u32,
    /// Minutes a proposal is held before it expires.
    pub hold_minutes: u32,
    /// What is done for single sites.
    pub sites: Vec<SitePolicy>,
    /// The relay.
    pub relay: RelaySettings,
    /// The door for pages with the mcp-b widget.
    pub mcp_b: McpBSettings,
    /// Tools of pages of these two doors that the person takes for reads.
    pub marked_reads: Vec<MarkedRead>,
    /// The person's own descriptors, each as the JSON text it was added as (`docs/descriptors.md`).
    pub descriptors: Vec<String>,
    /// What the person put beside single writes.
    pub beside: Vec<Beside>,
    /// What MCP clients may do.
    pub clients: ClientSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            provider: ProviderKind::None,
            provider_chosen: false,
            openai_compatible_url: String::new(),
            openai_model: String::new(),
            openai_compatible_model: String::new(),
            ollama_url: "http://127.0.0.1:11434".into(),
            ollama_model: String::new(),
            browser_path: String::new(),
            round_limit: 12,
            hold_minutes: 60,
            sites: Vec::new(),
            relay: RelaySettings::default(),
            mcp_b: McpBSettings::default(),
            marked_reads: Vec::new(),
            descriptors: Vec::new(),
            beside: Vec::new(),
            clients: ClientSettings::default(),
        }
    }
}

/// What is known of the model in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ProviderStatus {
    /// A line such as `qwen3:8b through Ollama`, or `No model`.
    pub label: String,
    /// Can a prompt be sent?
    pub ready: bool,
    /// If not: why, and what to do.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Where keys are kept.
    pub keys: KeyStore,
    /// Providers a key is stored for.
    pub keys_for: Vec<ProviderKind>,
}

/// Where keys are kept. Never in a file of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum KeyStore {
    /// The keyring of the operating system.
    Keyring,
    /// Memory, until the app ends.
    Memory {
        /// Why the keyring cannot be used.
        why: String,
    },
}

/// `list_models`: the models a provider offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ListModelsParams {
    /// The provider.
    pub provider: ProviderKind,
    /// Its base address; empty for the usual one.
    pub url: String,
}

/// A model that can be picked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ModelInfo {
    /// The name to ask for.
    pub name: String,
    /// Whether it can call tools; absent when the server does not say.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
}

/// `set_key`: store a key, or forget it when empty.
#[derive(Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct SetKeyParams {
    /// The provider it is for.
    pub provider: ProviderKind,
    /// The key.
    pub key: String,
}

impl std::fmt::Debug for SetKeyParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetKeyParams")
            .field("provider", &self.provider)
            .field("key", &"<redacted>")
            .finish()
    }
}
