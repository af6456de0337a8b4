import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import { type Claim, createHoldings } from '#platform/waits/holdings.ts'
import type { Caller, Context } from './context.ts'
import { beneficiaryOfCaller } from './serving.ts'

/** The maximum bytes of replies that are held in memory until they have been read. */
export type UnreadLimits = { ofPerson: number; ofNetwork: number; inAll: number; ofLargeOnes: number }

const megabyte = 1024 * 1024

export const unreadLimits: UnreadLimits = {
  // One reply of the largest size, and those of some pages.
  ofPerson: 64 * megabyte,
  ofNetwork: 128 * megabyte,
  inAll: 384 * megabyte,
  // Leaves room for replies of the size that pages request.
  ofLargeOnes: 256 * megabyte,
}

const largeFrom = megabyte

/** Smaller replies do not add up to much, even with many connections. */
const countedFrom = 16 * 1024

/** Longer replies are sent in parts, which show how fast they are read. */
const inPartsFrom = 256 * 1024
const partBytes = 64 * 1024

/**
 * Limits the replies in memory that wait to be read, for a person, for a network and in total. Replies that are
 * streamed from a file take little memory.
 */
export function limitUnreadReplies(app: FastifyInstance, limits: UnreadLimits): void {
  const unread = createHoldings()
  // A callback, because each request would otherwise wait for two more promises. The framework catches what it throws.
  app.addHook('preHandler', (request, _reply, done) => {
    // Before the work for another reply.
    if (request.method === 'GET' && unread.isAny()) unread.requireRoom(claimsOf(request, limits, 0))
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(payload)
    if (bytes < countedFrom || reply.raw.destroyed) return done()
    reply.raw.once('close', unread.take(claimsOf(request, limits, bytes), bytes))
    done(null, bytes < inPartsFrom ? payload : inParts(reply, toBuffer(payload)))
  })
}

function claimsOf(request: FastifyRequest, limits: UnreadLimits, bytes: number): Claim[] {
  const { ofPerson, ofNetwork, inAll, ofLargeOnes } = limits
  const network = `network ${limitedNetwork(request.ip)}`
  const of = (party: string, most: number, refusal: () => AppError): Claim => ({ party, most, refusal })
  const claims = [of(network, ofNetwork, tooMany), of('all', bytes < largeFrom ? inAll : ofLargeOnes, noRoom)]
  const caller = callerOf(request)
  return caller ? [of(`person ${beneficiaryOfCaller(caller).person}`, ofPerson, tooMany), ...claims] : claims
}

/** Null on routes without a sign-in, or before the caller was authenticated. */
function callerOf({ context, expected }: FastifyRequest): Caller | null {
  return (context as Context | null)?.caller ?? expected?.context.caller ?? null
}

const tooMany = (): AppError =>
  new AppError('too_many_requests', undefined, 'Earlier replies have not been read yet. Read them, then try again.')

const noRoom = (): AppError => new AppError('unavailable')

/** Zero for replies without a body, and for those streamed from a file. */
function bytesOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}

const toBuffer = (payload: unknown): Buffer => (Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload)))

function inParts(reply: FastifyReply, bytes: Buffer): Readable {
  void reply.header('content-length', bytes.length)
  return Readable.from(partsOf(bytes), { objectMode: false })
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
}
