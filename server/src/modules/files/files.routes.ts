import { finished, PassThrough } from 'node:stream'
import { filesApi } from '@portico/contract/files'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { apiPrefix, serve } from '#platform/http/serving.ts'
import { readQuery } from '#platform/http/url-limits.ts'
import type { Services } from '#platform/services.ts'
import { FileMissing, type Storage } from '#platform/storage.ts'
import { requestedRange } from './byte-range.ts'
import { attachment } from './content-disposition.ts'
import { signedLinks } from './signed-links.ts'
import { type DeliveredRefusal, type LivingLinks, livingLinks } from './living-links.service.ts'
import { type OpenDownloads, openDownloads } from './open-downloads.ts'
import { type OpenUploads, openUploads } from './open-uploads.ts'
import { keepPace } from './upload-pace.ts'
import { completeUpload, createUpload } from './uploads.service.ts'

// Anyone who reads the signature can use the link, so it is logged without its query.
const logSerializers = {
  req: ({ method, url, ip }: FastifyRequest) => ({ method, url: url.replace(/\?.*/, ''), remoteAddress: ip }),
}

export function fileRoutes(
  app: FastifyInstance,
  {
    storage,
    config,
    database,
  }: Pick<Services, 'storage' | 'database'> & { config: Pick<Config, 'secretKey' | 'publicUrl'> },
  deliveredRefusal: DeliveredRefusal,
): void {
  serve(app, filesApi.createUpload, (context, { fileName, type }) =>
    createUpload(context, storage, { fileName, contentType: type }),
  )
  const links = livingLinks(signedLinks(config), database, deliveredRefusal)
  const uploads = openUploads()
  const downloads = openDownloads()
  // Not through `serve`: these two transfer raw bytes of any type and size.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route({
      method: 'PUT',
      url: apiPrefix + filesApi.putFile.path,
      // A compressed file is stored as sent.
      decompress: false,
      config: { isFile: true },
      logSerializers,
      // The framework refuses unknown media types, and the type does not matter here.
      onRequest: async ({ raw }) => {
        delete raw.headers['content-type']
      },
      handler: (request, reply) => receiveFile(request, reply, { storage, links, uploads }),
    })
    scope.route({
      method: 'GET',
      url: apiPrefix + filesApi.getFile.path,
      compress: false,
      // Links to a bucket are for one method too, and the framework would read the whole file to reply to HEAD.
      exposeHeadRoute: false,
      logSerializers,
      handler: (request, reply) => sendFile(request, reply, { storage, links, downloads }),
    })
  })
}

type Receiving = { storage: Storage; links: LivingLinks; uploads: OpenUploads }

async function receiveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { storage, links, uploads }: Receiving,
): Promise<object> {
  const link = await links.open('PUT', request.params, readQuery(request))
  const end = uploads.begin(link)
  try {
    const content = bodyOf(request, () => links.requireAlive(link))
    const announced = Number(request.headers['content-length'])
    const record = (sizeBytes: number) => completeUpload(request.context.db, link.key, sizeBytes)
    const options = { once: true, record, ...(announced > 0 && { sizeBytes: announced }) }
    await storage.put(link.key, content, options).catch((error: unknown) => {
      // The remaining bytes would be as slow.
      if (content.errored instanceof AppError) void reply.header('connection', 'close')
      // Drains the remaining bytes: many clients read the response only after they have sent everything.
      request.raw.unpipe(content)
      request.raw.resume()
      if (error instanceof AppError || (request.raw.complete && !isPrematureClose(error))) throw error
      throw new AppError('invalid_input', undefined, 'The upload was interrupted before it was complete.')
    })
    return filesApi.putFile.reply.parse({})
  } finally {
    end()
  }
}

/** Returns whether the client disconnected, which may surface only after the last byte has arrived. */
const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'

/** Returns the request body as a separate stream, since a failing storage destroys its input. */
function bodyOf({ raw }: FastifyRequest, requireAlive: () => Promise<void>): PassThrough {
  const body = new PassThrough()
  // The storage reports the error, even if it starts reading later.
  body.on('error', () => {})
  keepPace(raw, body, requireAlive)
  finished(raw, (error) => {
    if (error) body.destroy(error)
  })
  return raw.pipe(body)
}

type Sending = { storage: Storage; links: LivingLinks; downloads: OpenDownloads }

async function sendFile(request: FastifyRequest, reply: FastifyReply, { storage, links, downloads }: Sending) {
  const link = await links.open('GET', request.params, readQuery(request))
  const { key, contentType, downloadName } = link
  const sizeBytes = await storage.size(key)
  if (sizeBytes === null) throw new FileMissing()
  const elsewhere = await storage.bucketUrl(key, {
    ...(contentType !== undefined && { contentType }),
    ...(downloadName !== undefined && { downloadName }),
  })
  if (elsewhere !== null) return reply.header('cache-control', 'private, no-store').redirect(elsewhere, 302)
  countUntilClosed(reply, downloads.begin(link, request.ip))
  // The content of a key never changes, so an interrupted download can be resumed.
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

/** Ends the count when the client disconnects; it may have done so already. */
function countUntilClosed({ raw }: FastifyReply, end: () => void): void {
  if (raw.destroyed) end()
  else raw.once('close', end)
}
