use countersign_contract::{Code, ErrorView, ListModelsParams, ModelInfo, ProviderKind, ProviderStatus, Settings};
use countersign_model::{Ollama, OpenAi, Provider};

use super::{Core, lock};

const OPENAI_URL: &str = "https://api.openai.com/v1";

impl Core {
    /// The model in use, in words, and whether a prompt can be sent to it.
    pub(super) fn provider_status(&self) -> ProviderStatus {
        let settings = self.settings();
        let keys_for = self.inner.keys.stored();
        let (label, problem) = describe(&settings, &keys_for);
        ProviderStatus {
            label,
            ready: problem.is_none(),
            problem,
            keys: self.inner.keys.store(),
            keys_for,
        }
    }

    pub(super) async fn provider(&self) -> Result<Box<dyn Provider>, ErrorView> {
        let settings = self.settings();
        let status = self.provider_status();
        if let Some(problem) = status.problem {
            return Err(ErrorView::new(Code::NoModel, problem));
        }
        match settings.provider {
            ProviderKind::None => Err(ErrorView::new(Code::NoModel, "No model is picked.")),
            ProviderKind::Openai => {
                self.openai(ProviderKind::Openai, OPENAI_URL, &settings.openai_model)
                    .await
            }
            ProviderKind::OpenaiCompatible => {
                let (url, model) = (&settings.openai_compatible_url, &settings.openai_compatible_model);
                self.openai(ProviderKind::OpenaiCompatible, url, model).await
            }
            ProviderKind::Ollama => ollama(&settings.ollama_url, &settings.ollama_model),
        }
    }

    /// The models a provider offers.
    ///
    /// # Errors
    /// When its server cannot be reached or refuses.
    pub async fn list_models(&self, params: ListModelsParams) -> Result<Vec<ModelInfo>, ErrorView> {
        let url = params.url.trim();
        let provider = match params.provider {
            ProviderKind::None => return Ok(Vec::new()),
            ProviderKind::Openai => self.openai(ProviderKind::Openai, OPENAI_URL, "").await?,
            ProviderKind::OpenaiCompatible => self.openai(ProviderKind::OpenaiCompatible, url, "").await?,
            ProviderKind::Ollama => ollama(if url.is_empty() { Ollama::USUAL } else { url }, "")?,
        };
        provider.models().await.map_err(|error| error.view())
    }

    async fn openai(&self, kind: ProviderKind, url: &str, model: &str) -> Result<Box<dyn Provider>, ErrorView> {
        let key = self.inner.keys.get(kind).await;
        let provider = OpenAi::new(url, key, model).map_err(|error| error.view())?;
        Ok(Box::new(provider))
    }

    /// Until the person has picked a model, a running Ollama with a model is picked by itself.
    pub fn look_for_ollama(&self) {
        if self.settings().provider_chosen {
            return;
        }
        let core = self.clone();
        tokio::spawn(async move {
            let url = core.settings().ollama_url;
            if Ollama::found(&url).await.is_none() {
                return;
            }
            let Ok(models) = (match ollama(&url, "") {
                Ok(provider) => provider.models().await,
                Err(_) => return,
            }) else {
                return;
            };
            let able = models.iter().find(|model| model.tools == Some(true)).or(models.first());
            let Some(model) = able else {
                return;
            };
            let mut settings = lock(&core.inner.settings);
            if !settings.provider_chosen {
                settings.provider = ProviderKind::Ollama;
                settings.ollama_model = model.name.clone();
            }
            drop(settings);
            core.changed();
        });
    }
}

fn ollama(url: &str, model: &str) -> Result<Box<dyn Provider>, ErrorView> {
    Ok(Box::new(Ollama::new(url, model).map_err(|error| error.view())?))
}

fn describe(settings: &Settings, keys: &[ProviderKind]) -> (String, Option<String>) {
    let unnamed = |through: &str| {
        (
            format!("No model picked on {through}"),
            Some("Pick a model in the settings.".to_owned()),
        )
    };
    match settings.provider {
        ProviderKind::None => (
            "No model".into(),
            Some("No model is picked. Run a tool by hand, or pick a model in the settings.".into()),
        ),
        ProviderKind::Openai if settings.openai_model.is_empty() => unnamed("OpenAI"),
        ProviderKind::Openai if !keys.contains(&ProviderKind::Openai) => (
            format!("{} through OpenAI", settings.openai_model),
            Some("OpenAI needs a key. Enter it in the settings.".into()),
        ),
        ProviderKind::Openai => (format!("{} through OpenAI", settings.openai_model), None),
        ProviderKind::OpenaiCompatible if settings.openai_compatible_url.is_empty() => (
            "No server picked".into(),
            Some("Enter the address of the OpenAI-compatible server in the settings.".into()),
        ),
        ProviderKind::OpenaiCompatible if settings.openai_compatible_model.is_empty() => {
            unnamed(&settings.openai_compatible_url)
        }
        ProviderKind::OpenaiCompatible => (
            format!(
                "{} through {}",
                settings.openai_compatible_model,
                host_of(&settings.openai_compatible_url)
            ),
            None,
        ),
        ProviderKind::Ollama if settings.ollama_model.is_empty() => unnamed("Ollama"),
        ProviderKind::Ollama => (format!("{} through Ollama", settings.ollama_model), None),
    }
}

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
