// The least that a Node server does: read lines, parse each, print the answer, write it.
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    const result = { content: [{ type: "text", text: params.arguments.text }] };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
  }
});
