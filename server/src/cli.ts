import { runCommand } from './commands/commands.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  input: process.stdin,
  writeOut: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
})
