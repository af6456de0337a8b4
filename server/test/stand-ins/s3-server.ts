import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { signatureProblem } from '#test/kit/signature-v4.ts'

const bucket = 'portico'
const credentials = { accessKey: 'S3RVER', secretKey: 'S3RVER' }

/** Settings of a bucket on this machine, the folder of its files, and a function that stops it. */
export type S3Server = {
  s3: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string }
  folder: string
  stop: () => Promise<void>
}

/** Returns the unfinished uploads of a folder whose keys begin with `prefix`, as S3 lists them. */
function listedUploads(folder: string, prefix: string): string {
  const ids = existsSync(folder) ? readdirSync(folder) : []
  const found = ids.map((id) => ({ id, key: readFileSync(join(folder, id, 'key'), 'utf8') }))
  const listed = found.filter(({ key }) => key.startsWith(prefix))
  const items = listed.map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  return `<?xml version="1.0"?><ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`
}

/**
 * Starts an S3 server with one empty bucket: s3rver behind a check of signatures, as s3rver accepts any of version 4.
 */
export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-s3-'))
  const s3 = new S3rver({ directory: folder, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] })
  await s3.configureBuckets()
  const serve = s3.callback()
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const problem = signatureProblem({ method, url, headers }, credentials)
    if (problem !== null) {
      response.writeHead(403, { 'content-type': 'application/xml' })
      return response.end(`<?xml version="1.0"?><Error><Code>${problem}</Code></Error>`)
    }
    // s3rver lacks two calls that we need: listing and aborting multipart uploads.
    const query = new URL(url, 'http://bucket').searchParams
    const uploadId = query.get('uploadId')
    const uploads = join(folder, bucket, '._S3rver_uploads')
    if (method === 'GET' && query.has('uploads')) {
      response.writeHead(200, { 'content-type': 'application/xml' })
      return response.end(listedUploads(uploads, query.get('prefix') ?? ''))
    }
    if (method !== 'DELETE' || uploadId === null) return serve(request, response)
    rmSync(join(uploads, uploadId), { recursive: true })
    return response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    s3: { endpoint: `http://127.0.0.1:${port}`, bucket, region: 'eu-central-1', ...credentials },
    folder,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
