import { z } from 'zod'
import type { Route } from './route.ts'

/** Endings of files that can be imported. */
export const uploadExtensions = ['.csv', '.txt', '.zip', '.gz'] as const

export const fileNameMaxLength = 200

export const filesApi = {
  /** The answer's `url` takes the bytes by PUT, once, and expires. */
  createUpload: {
    method: 'GET',
    path: '/contact-service/v1/uploads/:fileName',
    summary: 'A signed link that takes an upload by PUT',
    access: 'contact-service::uploads::get',
    params: z.object({ fileName: z.string() }),
    query: z.object({
      /** Media type of the file, as the browser knows it. */
      type: z.string().max(200).optional(),
      folder: z.string().max(200).optional(),
      isPublic: z.string().optional(),
    }),
    reply: z.object({ url: z.string() }),
  },
} as const satisfies Record<string, Route>
