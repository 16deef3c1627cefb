// A host that connects to the server it is told, and then has nothing more to do.
import { StdioClient } from "mcp-sansio";

const [command, ...args] = process.argv.slice(2);
try {
  const client = await StdioClient.connect({ command, args }, { name: "host", version: "1.0.0" });
  await client.callTool("chatter");
  await client.close();
} catch (error) {
  console.log(error.code);
}
