declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  /** The part of s3rver that we use; it has no types. */
  export default class S3rver {
    constructor(options: {
      directory: string
      silent: boolean
      vhostBuckets: boolean
      configureBuckets: { name: string }[]
    })
    configureBuckets(): Promise<void>
    callback(): RequestListener
  }
}
