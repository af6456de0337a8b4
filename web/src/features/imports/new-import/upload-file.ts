import { filesApi } from '@portico/contract/files'
import { ApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'

export type UploadSample = { sentBytes: number; atMs: number }

type UploadOptions = { signal: AbortSignal; onProgress: (sample: UploadSample) => void }

/**
 * Uploads a file under its own name: requests a link and sends the bytes there.
 * @throws {ApiError} or the abort
 */
export async function uploadFile(file: File, { signal, onProgress }: UploadOptions): Promise<void> {
  const { url } = await call(filesApi.createUpload, { fileName: file.name, type: file.type }, { signal })
  onProgress({ sentBytes: 0, atMs: Date.now() })
  await putBytes(url, file, { signal, onProgress })
}

/** By XMLHttpRequest, as `fetch` does not report the progress of an upload. */
function putBytes(url: string, file: File, { signal, onProgress }: UploadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const onAbort = (): void => request.abort()
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      end()
    }
    request.upload.addEventListener('progress', ({ loaded }) => onProgress({ sentBytes: loaded, atMs: Date.now() }))
    request.addEventListener('load', () =>
      settle(() => (request.status >= 200 && request.status < 300 ? resolve() : reject(refusalOf(request)))),
    )
    request.addEventListener('error', () =>
      settle(() => reject(new ApiError('unavailable', 'The connection was lost while the file was being sent.'))),
    )
    request.addEventListener('abort', () =>
      settle(() => reject(new DOMException('The upload was cancelled.', 'AbortError'))),
    )
    if (signal.aborted) {
      reject(new DOMException('The upload was cancelled.', 'AbortError'))
      return
    }
    signal.addEventListener('abort', onAbort)
    request.open('PUT', url)
    request.send(file)
  })
}

/** Our own server gives the reason; a bucket sends XML of its own. */
function refusalOf({ status, responseText }: XMLHttpRequest): ApiError {
  try {
    const { error } = JSON.parse(responseText) as { error: { code: ApiError['code']; message: string } }
    return new ApiError(error.code, error.message)
  } catch {
    return new ApiError('unexpected', `The file was refused by the storage. (status=${status})`)
  }
}

/** The speed is averaged over this time: shorter makes it jump, longer makes it lag. */
const speedWindowMs = 5_000

/** Keeps the samples that the speed is computed from. */
export function addUploadSample(samples: readonly UploadSample[], next: UploadSample): readonly UploadSample[] {
  return [...samples.filter(({ atMs }) => next.atMs - atMs <= speedWindowMs), next]
}

/** Progress of an upload; speed and time are null with too few samples. */
export type UploadFigures = { share: number; bytesPerSecond: number | null; remainingMs: number | null }

export function uploadFigures(samples: readonly UploadSample[], totalBytes: number): UploadFigures {
  const [first] = samples
  const last = samples.at(-1)
  const share = last && totalBytes > 0 ? Math.min(1, last.sentBytes / totalBytes) : 0
  if (!first || !last || last.atMs - first.atMs < 500 || last.sentBytes <= first.sentBytes) {
    return { share, bytesPerSecond: null, remainingMs: null }
  }
  const perMs = (last.sentBytes - first.sentBytes) / (last.atMs - first.atMs)
  return {
    share,
    bytesPerSecond: perMs * 1000,
    remainingMs: Math.max(0, totalBytes - last.sentBytes) / perMs,
  }
}
