/** Files: their storage, signed links to them, and uploads. */
export { downloadCall } from './download-call.ts'
export { fileRoutes } from './files.routes.ts'
export { newStorageKey } from './storage-keys.ts'
export { createLimitedStorage, createStorage } from './create-storage.ts'
export { findUpload, storeUpload, type Upload } from './uploads.service.ts'
export { releaseFile, removeAbandoned } from './pending-files.service.ts'
export { uploadKeys } from './uploads.queries.ts'
export { removeOldUploads, uploadedBytes } from './uploads-retention.service.ts'
