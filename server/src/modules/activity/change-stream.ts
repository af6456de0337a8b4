import type { ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/accounts'
import { passiveHeader } from '@portico/contract/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '#sign-in'
import type { Caller } from '#platform/http/context.ts'
import type { ChangeSource } from '#platform/registration.ts'
import { type ChangeWatch, type Marks, visibleMarks } from './changes.service.ts'
import type { OpenStreams } from './open-streams.ts'

/** Proxies close a connection after a minute of silence. A signed-out client is cut off after at most this long. */
const heartbeatMs = 15_000

/** One set of changes is a few hundred bytes. A client with more unread data has not read for a long time. */
const mostUnread = 64 * 1024

export type Streaming = {
  watch: ChangeWatch
  authenticate: Authenticate
  sources: readonly ChangeSource[]
  streams: OpenStreams
}

type Stream = {
  request: FastifyRequest
  reply: FastifyReply
  account: AccountId
  caller: Caller
}

/**
 * Sends server-sent events until the client disconnects or its session ends. Each heartbeat, and each change of rights
 * in the account, authenticates again, which also updates the lists that the caller may see.
 */
export function streamChanges({ watch, authenticate, sources, streams }: Streaming, stream: Stream): void {
  const { request, reply, account } = stream
  let { caller } = stream
  let sent = ''
  // It does no work while nothing changes, and has its own limits.
  request.leaveWork?.()
  // From here on the framework neither compresses nor ends the response.
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Some proxies would buffer the response.
    'x-accel-buffering': 'no',
  })
  const write = (text: string): void => void (raw.writableLength > mostUnread ? raw.destroy() : raw.write(text))
  const send = (marks: ChangeMarks): void => {
    const data = JSON.stringify(marks)
    // Changes of lists that the caller may not see are not sent.
    if (data !== sent) write(`event: marks\ndata: ${(sent = data)}\n\n`)
  }
  /** Marked passive: an open page by itself does not extend the session. */
  const authenticateAgain = async (): Promise<boolean> => {
    const { caller: now } = await authenticate({ ...request.headers, [passiveHeader]: '1' }, request.ip)
    if (now?.account !== account) return false
    caller = now
    return true
  }
  let last: Marks | undefined
  const sendVisible = (): void => {
    if (last) send(visibleMarks(last, caller, sources))
  }
  const stillHere = (text: string): void =>
    void authenticateAgain().then(
      (isIn) => {
        if (!isIn) raw.end()
        else {
          write(text)
          // With the lists that the caller has gained or lost.
          sendVisible()
        }
      },
      () => raw.end(),
    )
  const stopListening = watch.listen(account, (marks) => {
    const haveRightsChanged = last !== undefined && marks.access !== last.access
    last = marks
    if (haveRightsChanged) stillHere('event: rights\ndata: {}\n\n')
    else sendVisible()
  })
  const uncount = streams.begin(caller, request.ip, () => raw.end())
  const heartbeat = setInterval(() => stillHere(': still here\n\n'), heartbeatMs)
  raw.once('close', () => {
    stopListening()
    uncount()
    clearInterval(heartbeat)
  })
}
