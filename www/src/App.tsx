import { ChatPanel } from "./chat/ChatPanel";
import { Header } from "./Header";
import { PagePanel } from "./page/PagePanel";

export function App() {
  return (
    <>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <Header />
      <main className="columns">
        <ChatPanel />
        <PagePanel />
      </main>
    </>
  );
}
