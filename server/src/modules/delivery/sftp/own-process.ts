import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { AccountId } from '@portico/contract/accounts'
import { bareEnvironment, limitedCommand } from '#platform/limited-process.ts'
import type { Outbound } from '#platform/outbound.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { DeliveryFailed } from '../delivery-failed.ts'
import { type Failure, failureFrom, type FromProcess, type Question, type ToProcess, type Work } from './messages.ts'

/** Tasks that only the portal can do for an upload or trial. */
type Ports = {
  pinHostKey: (fingerprint: string) => Promise<string>
  choose: (name: string) => Promise<void>
  open: () => Promise<Readable>
}

type Job = { account: AccountId; work: Work; ports: Ports; outbound: Outbound; signal: AbortSignal }

const beatMs = 1000

const command = limitedCommand({
  path: fileURLToPath(new URL('./sftp-process.ts', import.meta.url)),
  dataBytes: 1_000_000_000,
  startsBy: async ([file = '', ...args]) =>
    promisify(execFile)(file, args, { env: bareEnvironment, timeout: 30_000, killSignal: 'SIGKILL' }).then(
      () => true,
      // No result in time: the machine is too busy to tell.
      (error: unknown) => error instanceof Error && 'killed' in error && error.killed === true,
    ),
  onUnlimited: () => {},
})

/**
 * Each process takes about 80 MB. Deliveries are limited further by the places of their job, so this keeps trials from
 * taking all memory.
 */
const queue = createFairQueue({ atOnce: 6, each: 2, waiting: 10 })

const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/**
 * Does the work in a separate process (`sftp-process.ts`) when it is its turn. Returns the result in words.
 * @throws the errors of `ports` and of `outbound.connect`, and DeliveryFailed; the reason of the signal once it aborts
 */
export function inOwnProcess(job: Job): Promise<string> {
  return queue(job.account, async () => {
    job.signal.throwIfAborted()
    const { totalMs, withoutFileMs } = job.work.limits
    // Time for the upload, then for the connection that removes a partial file, and for the start of the process.
    const mostMs = totalMs + withoutFileMs + job.outbound.stuckMs
    const [file, ...args] = await command(mostMs)
    // Secrets are sent over the channel, since other users of the machine may see arguments and environments.
    const child = spawn(file, args, { env: bareEnvironment, stdio: ['pipe', 'ignore', 'inherit', 'ipc'] })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return doneBy(child, job, mostMs)
  })
}

/**
 * Hands the work to the process and answers its questions. When this returns, the process has ended or is about to end.
 */
async function doneBy(child: ChildProcess, job: Job, mostMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const over = new AbortController()
  const life = watchLife(job, reject)
  const late = setTimeout(() => reject(new DeliveryFailed('The server was too slow.')), mostMs)
  const stop = (): void => reject(job.signal.reason)
  job.signal.addEventListener('abort', stop, { once: true })
  const answer = answering(child, { ...job, signal: AbortSignal.any([job.signal, over.signal]) })
  child.on('message', (message: FromProcess) => {
    life.seen(message)
    if (message.kind === 'taken') answer.closeSockets()
    else if (message.kind === 'result') resolve(message.result)
    else if (message.kind === 'failure') reject(answer.errorOf(message.failure))
    else if (message.kind === 'question') void answer.to(message.asked, message.question)
  })
  child.once('error', reject)
  // Emitted after the last message.
  child.once('disconnect', () => reject(new DeliveryFailed('The connection ended because of an error in the portal.')))
  // The end of the process is handled above.
  child.stdin?.on('error', () => {})
  say(child, { kind: 'work', work: job.work })
  try {
    return await promise
  } finally {
    over.abort()
    answer.closeSockets()
    life.end()
    clearTimeout(late)
    job.signal.removeEventListener('abort', stop)
    child.kill('SIGKILL')
  }
}

function say(child: ChildProcess, message: ToProcess, socket?: Socket): void {
  // Kept open: if the process is killed, a socket in transit could otherwise never be closed.
  if (child.connected) child.send(message, socket, { keepOpen: true }, () => {})
}

/** Ends work whose process shows no sign of life. Only time during which this thread could listen counts. */
function watchLife({ outbound: { stuckMs }, work: { secrets } }: Job, stuck: (reason: DeliveryFailed) => void) {
  let reason = new DeliveryFailed('The portal is too busy to connect at the moment.')
  let missed = 0
  const timer = setInterval(() => {
    if (++missed * beatMs > stuckMs) stuck(reason)
  }, beatMs)
  const costlyServer = new DeliveryFailed('The server makes the portal compute for too long.')
  const costlyKey = new DeliveryFailed('The private key takes too long to use. Use another one, such as Ed25519.', true)
  return {
    seen({ kind }: FromProcess): void {
      missed = 0
      if (kind === 'signed in') reason = costlyServer
      else if (kind === 'question') reason = secrets.privateKey === undefined ? costlyServer : costlyKey
    },
    end: () => clearInterval(timer),
  }
}

function answering(child: ChildProcess, job: Job) {
  const errors = new Map<number, unknown>()
  // The portal's handles; the process gets a second handle of each socket.
  const sockets = new Set<Socket>()
  const refuse = (asked: number, error: unknown): void => {
    errors.set(asked, error)
    say(child, { kind: 'refusal', asked, failure: failureFrom(error, asked) })
  }
  return {
    async to(asked: number, question: Question): Promise<void> {
      try {
        const { value, socket } = await answerTo(question, job)
        if (socket && job.signal.aborted) return void socket.destroy()
        if (socket) sockets.add(socket.on('error', () => {}))
        if (question.kind === 'content') await pour(job, child, (error) => refuse(asked, error))
        say(child, { kind: 'answer', asked, value: value ?? null }, socket)
      } catch (error) {
        refuse(asked, error)
      }
    },
    closeSockets(): void {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    /** Returns the original error if it was one of the portal. */
    errorOf({ asked, isFinal, name, message, stack, code }: Failure): unknown {
      if (asked !== null) return errors.get(asked)
      if (isFinal !== null) return Object.assign(new DeliveryFailed(message, isFinal), { stack })
      return Object.assign(new Error(message), { name, stack, ...(code !== undefined && { code }) })
    },
  }
}

async function answerTo(question: Question, job: Job): Promise<{ value?: string; socket?: Socket }> {
  const { account, work, ports, outbound, signal } = job
  const { host, port } = work.settings
  switch (question.kind) {
    case 'connect':
      return { socket: await outbound.connect(host, port, { account, signal }) }
    case 'pin':
      return { value: await ports.pinHostKey(question.fingerprint) }
    case 'choose':
      await ports.choose(question.name)
      return {}
    case 'hash': {
      const hash = createHash('sha256')
      await pipeline(await ports.open(), hash, { signal })
      return { value: hash.digest('hex') }
    }
    case 'content':
      return {}
  }
}

/** Writes the file to the standard input of the process, at the speed at which the process reads it. */
async function pour({ ports }: Job, { stdin }: ChildProcess, broken: (error: unknown) => void): Promise<void> {
  const content = await ports.open()
  // Not `pipeline`: the process would see the end of its input before it receives the error.
  content.on('error', broken)
  if (!stdin || stdin.destroyed) return void content.destroy()
  stdin.once('close', () => content.destroy())
  content.pipe(stdin)
}
