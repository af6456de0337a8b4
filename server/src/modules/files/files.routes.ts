import { finished, PassThrough } from 'node:stream'
import { filesApi } from '@portico/contract/files'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { apiPrefix, serve } from '#platform/http/serving.ts'
import { FileMissing, type Storage } from '#platform/storage.ts'
import { requestedRange } from './byte-range.ts'
import { attachment } from './content-disposition.ts'
import { type SignedLinks, signedLinks } from './signed-links.ts'
import { completeUpload, createUpload } from './uploads.service.ts'

// A client that sends nothing for so long is gone; its upload would otherwise wait for ever.
const idleUploadMs = 120_000

// The signature lets anybody in who reads it, so a link is logged without its query.
const logSerializers = {
  req: ({ method, url, ip }: FastifyRequest) => ({ method, url: url.replace(/\?.*/, ''), remoteAddress: ip }),
}

export function fileRoutes(
  app: FastifyInstance,
  { storage, config }: { storage: Storage; config: Pick<Config, 'secretKey' | 'publicUrl'> },
): void {
  serve(app, filesApi.createUpload, (context, { fileName, type }) =>
    createUpload(context, storage, { fileName, contentType: type }),
  )
  const links = signedLinks(config)
  // Not by `serve`: these two carry bytes as they come, of any type and size.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route({
      method: 'PUT',
      url: apiPrefix + filesApi.putFile.path,
      // A file that says it is compressed is kept as it was sent.
      decompress: false,
      logSerializers,
      // The framework refuses a media type that it can't read; which one the client gives does not matter.
      onRequest: async ({ raw }) => {
        delete raw.headers['content-type']
      },
      handler: (request) => receiveFile(request, storage, links),
    })
    scope.route({
      method: 'GET',
      url: apiPrefix + filesApi.getFile.path,
      compress: false,
      // A bucket's links are for one method too; the framework's answer to HEAD would read the whole file.
      exposeHeadRoute: false,
      logSerializers,
      handler: (request, reply) => sendFile(request, reply, storage, links),
    })
  })
}

async function receiveFile(request: FastifyRequest, storage: Storage, links: SignedLinks): Promise<object> {
  const { key } = links.open('PUT', request.params, request.query)
  const content = bodyOf(request)
  const sizeBytes = await storage.put(key, content, { once: true }).catch((error: unknown) => {
    // What is still to come is read and dropped: many clients look for an answer only when they have sent everything.
    request.raw.unpipe(content)
    request.raw.resume()
    if (error instanceof AppError || (request.raw.complete && !isPrematureClose(error))) throw error
    throw new AppError('invalid_input', undefined, 'The upload broke off before its end.')
  })
  await completeUpload(request.context.db, key, sizeBytes)
  return filesApi.putFile.reply.parse({})
}

/** Whoever sent the file went away; that may show only after its last byte has come. */
const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'

/** The bytes as they come; a stream apart, since a storage that refuses destroys what it is given. */
function bodyOf({ raw }: FastifyRequest): PassThrough {
  const body = new PassThrough()
  const idle = setTimeout(() => raw.destroy(), idleUploadMs)
  raw.on('data', () => idle.refresh())
  finished(raw, (error) => {
    clearTimeout(idle)
    if (error) body.destroy(error)
  })
  return raw.pipe(body)
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, storage: Storage, links: SignedLinks) {
  const { key, contentType, downloadName } = links.open('GET', request.params, request.query)
  const sizeBytes = await storage.size(key)
  if (sizeBytes === null) throw new FileMissing()
  // What stands under a key never changes, so a download that broke off can be resumed.
  const etag = `"${key.replaceAll('/', '-')}-${sizeBytes}"`
  const range = requestedRange(request.headers, etag, sizeBytes)
  void reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    etag,
  })
  if (range === 'none of it') return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send()
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  void reply.code(range ? 206 : 200).headers({
    ...(range && { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
    'content-type': contentType ?? 'application/octet-stream',
    'content-length': end - start,
    'content-disposition': attachment(downloadName),
  })
  return reply.send(await storage.read(key, { start, end }))
}
