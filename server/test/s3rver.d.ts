declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  /** The part of the test server that we use; it brings no types of its own. */
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
