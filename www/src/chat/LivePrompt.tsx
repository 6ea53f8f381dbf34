import { type FormEvent, useId, useRef, useState } from "react";
import { useCell } from "../lib/cell";
import { SendOrStop } from "../lib/SendOrStop";
import { log } from "../log/log";
import { endpoint, faultOf, isSet } from "../model/endpoint";
import { t, type Words } from "../words/words";

interface Props {
  playing: boolean;
  onAsk(question: string): void;
}

/** A question to a live model, whose answer is read as it comes. */
export function LivePrompt({ playing, onAsk }: Props) {
  const id = useId();
  const ready = isSet(useCell(endpoint));
  const [question, setQuestion] = useState("");
  const [fault, setFault] = useState<Words>();
  const running = useRef<AbortController>(undefined);

  async function ask(event: FormEvent) {
    event.preventDefault();
    const controller = new AbortController();
    running.current = controller;
    setFault(undefined);
    onAsk(question);
    log("chat", "ask", question);
    try {
      const { converse } = await import("./rounds");
      await converse(question, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      setFault(() => faultOf(error));
    }
  }

  return (
    <form className="live-prompt" onSubmit={ask}>
      <label htmlFor={id}>{t("Question")}</label>
      <textarea id={id} rows={2} value={question} onChange={(event) => setQuestion(event.target.value)} />
      <SendOrStop busy={playing} disabled={!ready || question.trim() === ""} onStop={() => running.current?.abort()}>
        {t("Ask")}
      </SendOrStop>
      {fault && (
        <p className="fault" role="alert">
          {fault()}
        </p>
      )}
    </form>
  );
}
