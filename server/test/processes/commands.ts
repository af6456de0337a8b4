import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCommand } from '../../src/commands/commands.ts'

/** Standard input of a command, and its environment. */
type Setting = { input?: string; env: NodeJS.ProcessEnv }

/** `results` are the printed lines of JSON. */
export type Outcome = { exitCode: number | null; out: string; errors: string; results: unknown[] }

/** Runs a command of the command line in this process. */
export async function portico(args: string[], { input = '', env }: Setting): Promise<Outcome> {
  const [out, errors]: [string[], string[]] = [[], []]
  const exitCode = await runCommand(args, {
    env,
    input: Readable.from([input]),
    writeOut: (written) => out.push(written),
    writeError: (written) => errors.push(written),
  })
  return outcomeOf(exitCode, out.join(''), errors.join(''))
}

/** Runs a command as operators do, in a separate process. */
export async function porticoProcess(args: string[], { input = '', env }: Setting): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli.ts'), ...args], {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return outcomeOf(exitCode, out, errors)
}

function outcomeOf(exitCode: number | null, out: string, errors: string): Outcome {
  const lines = out.startsWith('{') ? out.trim().split('\n') : []
  return { exitCode, out, errors, results: lines.map((line) => JSON.parse(line) as unknown) }
}
