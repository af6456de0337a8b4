// A process that makes one SFTP upload or trial: `ssh2` parses keys, and computes with numbers from keys and servers,
// without yielding for as long as they demand (ADR 0108). `own-process.ts` starts it.
import { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { type FromProcess, failureFrom, type Failure, type Question, type ToProcess, type Work } from './messages.ts'
import { tryUpload, uploadFile } from './upload.ts'

const aliveMs = 500

/** An error of the portal, which identifies it by the number of the question. */
class AnswerFailed extends Error {
  readonly asked: number | null
  readonly code: string | undefined

  constructor({ message, asked, code }: Failure) {
    super(message)
    this.asked = asked
    this.code = code
  }
}

type Waiting = { resolve: (answer: { value: string | null; socket: unknown }) => void; reject: (error: Error) => void }
const waiting = new Map<number, Waiting>()
let asked = 0

const say = (message: FromProcess, done?: () => void): void =>
  void process.send?.(message, undefined, {}, () => done?.())

function ask(question: Question) {
  const answer = Promise.withResolvers<Parameters<Waiting['resolve']>[0]>()
  waiting.set(++asked, answer)
  say({ kind: 'question', asked, question })
  return answer.promise
}

const askText = async (question: Question): Promise<string> => (await ask(question)).value ?? ''

function receive(message: ToProcess, socket: unknown): void {
  if (message.kind === 'work') return void work(message.work)
  const question = waiting.get(message.asked)
  if (message.kind === 'answer') return question?.resolve({ value: message.value, socket })
  const error = new AnswerFailed(message.failure)
  // The file could not be read to its end, after the question for it was already answered.
  question?.reject(error)
  if (message.failure.asked === content) process.stdin.destroy(error)
}

/** The number of the question for the file. */
let content: number | null = null

async function work(task: Work): Promise<void> {
  try {
    say({ kind: 'result', result: await resultOf(task) }, end)
  } catch (error) {
    say({ kind: 'failure', failure: failureFrom(error, error instanceof AnswerFailed ? error.asked : null) }, end)
  }
}

function resultOf({ settings, secrets, limits, upload, id }: Work): Promise<string> {
  const target = { settings, secrets, pinHostKey: (fingerprint: string) => askText({ kind: 'pin', fingerprint }) }
  const server = {
    ...limits,
    signedIn: () => say({ kind: 'signed in' }),
    async connect() {
      const { socket } = await ask({ kind: 'connect' })
      say({ kind: 'taken' })
      return socket instanceof Socket ? socket : null
    },
  }
  if (upload === null) return tryUpload(server, target, id)
  return uploadFile(server, target, {
    ...upload,
    hash: () => askText({ kind: 'hash' }),
    choose: async (name) => void (await ask({ kind: 'choose', name })),
    async open() {
      const answered = ask({ kind: 'content' })
      content = asked
      await answered
      return process.stdin
    },
  })
}

const end = (): never => process.exit()

// Started only to see whether it starts.
if (!process.send) end()
// The portal has ended, or has stopped waiting.
process.on('disconnect', end)
process.on('uncaughtException', (error) => say({ kind: 'failure', failure: failureFrom(error, null) }, end))
try {
  // Lets requests go first when a key or a server makes this process compute.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // It already has a lower priority.
}
// Reported by the code that reads it.
process.stdin.on('error', () => {})
process.on('message', receive)
setInterval(() => say({ kind: 'alive' }), aliveMs)
