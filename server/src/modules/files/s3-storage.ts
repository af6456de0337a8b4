import { addAbortSignal, Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { FileMissing, type PutOptions, type Storage } from '#platform/storage.ts'
import { attachment } from './content-disposition.ts'
import type { SignedLinks } from './signed-links.ts'
import { requireStorageKey } from './storage-keys.ts'

// A bucket takes at most 10,000 parts per file, which is 160 GB. Two parts are in memory while a file is sent.
const partSizeBytes = 16 * 1024 * 1024

// A bucket does not ask the portal whether a link may still be used, which is why links are short-lived: only the start
// of a transfer has to be in time.
const uploadSeconds = 300
const downloadSeconds = 60

/** Files in a bucket of Amazon S3 or of a compatible server. */
export function s3Storage(settings: NonNullable<Config['s3']>, links: SignedLinks): Storage {
  const client = new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: { accessKeyId: settings.accessKey, secretAccessKey: settings.secretKey },
    // Servers other than Amazon's have no host name per bucket.
    forcePathStyle: true,
    // Otherwise a signed upload link carries the checksum of the empty body it was signed with.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const at = (key: string) => ({ Bucket: settings.bucket, Key: requireStorageKey(key) })
  const size = async (key: string): Promise<number | null> => {
    try {
      return (await client.send(new HeadObjectCommand(at(key)))).ContentLength ?? null
    } catch (error) {
      if (isStatus(error, 404)) return null
      throw error
    }
  }
  return {
    size,
    async put(key, content, options) {
      await putObject(client, at(key), content, options)
      const sizeBytes = await size(key)
      if (sizeBytes === null) throw new FileMissing()
      return sizeBytes
    },
    async read(key, range = {}) {
      // A header cannot express an empty range: the server would send the whole file.
      if (range.end !== undefined && range.end <= (range.start ?? 0)) return emptyIfThere(await size(key))
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), ...rangeHeader(range) }))
        return Body instanceof Readable ? Body : Readable.from([])
      } catch (error) {
        if (isStatus(error, 404)) throw new FileMissing()
        if (isStatus(error, 416)) return Readable.from([])
        throw error
      }
    },
    requireRoom: async () => {},
    unpackedBytes: null,
    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key)))
    },
    removeUnfinished: (key) => removeParts(client, at(key)),
    uploadUrl: (key, { expiresInSeconds }) =>
      getSignedUrl(client, new PutObjectCommand(at(key)), { expiresIn: Math.min(expiresInSeconds, uploadSeconds) }),
    downloadUrl: async (key, options) => links.make('GET', key, options),
    bucketUrl: (key, { contentType, downloadName }) => {
      const command = new GetObjectCommand({
        ...at(key),
        ResponseContentType: contentType ?? 'application/octet-stream',
        ResponseContentDisposition: attachment(downloadName),
        ResponseCacheControl: 'private, no-store',
      })
      return getSignedUrl(client, command, { expiresIn: downloadSeconds })
    },
  }
}

/** Removes parts of a file that was never completed: they are in no list of files, but take space. */
async function removeParts(client: S3Client, { Bucket, Key }: { Bucket: string; Key: string }): Promise<void> {
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
    for (const { UploadId, Key: found } of Uploads) {
      if (found === Key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    }
  } catch (error) {
    // Some servers cannot list parts, and remove them by themselves.
    if (!isStatus(error, 501)) throw error
  }
}

async function putObject(
  client: S3Client,
  at: { Bucket: string; Key: string },
  content: Readable,
  { contentType, signal, once }: PutOptions = {},
): Promise<void> {
  // A bucket has its own links; a link to the portal is older than the bucket.
  if (once) throw new AppError('link_invalid')
  // When the content ends early, `done` removes the parts sent so far and fails.
  if (signal) addAbortSignal(signal, content)
  const params = { ...at, Body: content, ContentType: contentType ?? 'application/octet-stream' }
  await new Upload({ client, params, partSize: partSizeBytes, queueSize: 2 }).done()
}

function emptyIfThere(sizeBytes: number | null): Readable {
  if (sizeBytes === null) throw new FileMissing()
  return Readable.from([])
}

function rangeHeader({ start = 0, end }: { start?: number; end?: number }): { Range?: string } {
  if (start === 0 && end === undefined) return {}
  return { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` }
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status
}
