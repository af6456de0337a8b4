import type { ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/identity'
import { passiveHeader } from '@portico/contract/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '#sign-in'
import type { Caller } from '#platform/http/context.ts'
import { type ChangeWatch, visibleMarks } from './changes.service.ts'

/** Proxies take a line for dead after a minute of silence, and whoever was signed out has gone after as long as this. */
const heartbeatMs = 15_000

type Stream = {
  request: FastifyRequest
  reply: FastifyReply
  account: AccountId
  caller: Caller
}

/**
 * Answers with server-sent events until the client goes away or its session ends: that is looked up at every heartbeat,
 * and with it what the caller may see by then.
 */
export function streamChanges(watch: ChangeWatch, authenticate: Authenticate, stream: Stream): void {
  const { request, reply, account } = stream
  let { caller } = stream
  let sent = ''
  // From here on the framework neither compresses nor ends the answer.
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Some proxies would wait for more to come.
    'x-accel-buffering': 'no',
  })
  const send = (marks: ChangeMarks): void => {
    const data = JSON.stringify(marks)
    // What the caller may not see is no news.
    if (data !== sent) raw.write(`event: marks\ndata: ${(sent = data)}\n\n`)
  }
  const stopListening = watch.listen(account, (marks) => send(visibleMarks(marks, caller)))
  const heartbeat = setInterval(() => {
    // Looking is no activity: an open page alone keeps nobody signed in.
    void authenticate({ ...request.headers, [passiveHeader]: '1' }, request.ip).then(
      ({ caller: now }) => {
        if (now?.account !== account) return raw.end()
        caller = now
        return raw.write(': still here\n\n')
      },
      () => raw.end(),
    )
  }, heartbeatMs)
  raw.once('close', () => {
    stopListening()
    clearInterval(heartbeat)
  })
}
