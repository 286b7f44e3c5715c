/** The S3 server of `s3-server.ts`: writes its address to the output, and ends with its parent. */
import S3rver from "s3rver";

const [folder = "", bucket = ""] = process.argv.slice(2);
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory: folder,
  configureBuckets: [{ name: bucket, configs: [] }],
});
const { port } = await server.run();
process.stdout.write(`http://127.0.0.1:${port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
