//! Models: any OpenAI-compatible server, the offline model, replay.
