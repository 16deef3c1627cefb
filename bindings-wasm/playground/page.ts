/** The page of the playground: a client here, its server in a worker, and the conversation between them. */
import { CallError, Client, type Progress, type types, type TraceEntry, codeOf, connect } from "mcp-sansio-wasm";

function element<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`the page has no such element: ${id}`);
  return found;
}

const page = {
  status: element("status", HTMLElement),
  revision: element("revision", HTMLSelectElement),
  form: element("form", HTMLFormElement),
  tool: element("tool", HTMLSelectElement),
  description: element("description", HTMLElement),
  arguments: element("arguments", HTMLTextAreaElement),
  call: element("call", HTMLButtonElement),
  cancel: element("cancel", HTMLButtonElement),
  progress: element("progress", HTMLOListElement),
  result: element("result", HTMLOutputElement),
  conversation: element("conversation", HTMLOListElement),
};

function item(list: HTMLElement, className: string, ...parts: [tag: string, text: string][]): void {
  const entry = document.createElement("li");
  entry.className = className;
  for (const [tag, text] of parts) entry.appendChild(document.createElement(tag)).textContent = text;
  list.append(entry);
}

function showMessage({ direction, at, message, revision }: TraceEntry): void {
  const way = direction === "sent" ? "page → worker" : "worker → page";
  const title = `${way} · ${(at / 1e6).toFixed(1)} ms${revision === undefined ? "" : ` · ${revision}`}`;
  item(page.conversation, direction, ["small", title], ["pre", JSON.stringify(JSON.parse(message), null, 2)]);
}

function showProgress({ progress, total, message }: Progress): void {
  const of = total === undefined ? "" : ` of ${String(total)}`;
  item(page.progress, "", ["span", `${String(progress)}${of}${message === undefined ? "" : `: ${message}`}`]);
}

function showResult(text: string, failed: boolean): void {
  page.result.textContent = text;
  page.result.className = failed ? "failed" : "";
}

/** Arguments made of the defaults of the tool's schema. */
function sample(tool: types.Tool): string {
  const properties = (tool.inputSchema["properties"] ?? {}) as Record<string, { default?: unknown }>;
  const defaults = Object.entries(properties).map(([name, property]) => [name, property.default ?? null]);
  return JSON.stringify(Object.fromEntries(defaults), null, 2);
}

async function call(client: Client): Promise<void> {
  const controller = new AbortController();
  const cancel = (): void => {
    controller.abort("cancelled by the user");
  };
  page.progress.replaceChildren();
  showResult("", false);
  page.call.disabled = true;
  page.cancel.disabled = false;
  page.cancel.addEventListener("click", cancel);
  try {
    const args = JSON.parse(page.arguments.value) as Record<string, unknown>;
    const options = { signal: controller.signal, onProgress: showProgress };
    const { content, isError } = await client.callTool(page.tool.value, args, options);
    const texts = content.map((block) => (block.type === "text" ? block.text : JSON.stringify(block)));
    showResult(texts.join("\n"), isError === true);
  } catch (error) {
    const code = error instanceof CallError ? `${error.code}: ` : "";
    showResult(`${code}${error instanceof Error ? error.message : String(error)}`, true);
  } finally {
    page.cancel.removeEventListener("click", cancel);
    page.cancel.disabled = true;
    page.call.disabled = false;
  }
}

async function start(): Promise<void> {
  const revision = new URLSearchParams(location.search).get("revision") ?? "";
  page.revision.value = revision;
  page.revision.addEventListener("change", () => {
    location.search = new URLSearchParams({ revision: page.revision.value }).toString();
  });

  const client = new Client({
    name: "playground-page",
    version: "0.1.0",
    ...(revision !== "" && { revisions: [revision] }),
    trace: true,
    onTrace: showMessage,
    onFault: ({ code, detail }) => {
      item(page.conversation, "fault", ["small", code], ["pre", detail]);
    },
  });
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(null, [port2]);
  await connect(client, port1);

  const tools = await client.listTools();
  const select = (): void => {
    const tool = tools.find(({ name }) => name === page.tool.value);
    page.description.textContent = tool?.description ?? "";
    page.arguments.value = tool === undefined ? "{}" : sample(tool);
  };
  page.tool.replaceChildren(...tools.map(({ name }) => new Option(name)));
  page.tool.addEventListener("change", select);
  select();
  page.form.addEventListener("submit", (event) => {
    event.preventDefault();
    void call(client);
  });
  page.status.textContent = `connected to ${client.serverInfo?.name ?? "a server"}, revision ${client.revision}`;
}

start().catch((error: unknown) => {
  page.status.textContent = `not connected: ${codeOf(error) ?? String(error)}`;
});
