/** Files: their storage, signed links to them, and uploads. */
export { downloadCall } from './download-call.ts'
export { fileRoutes } from './files.routes.ts'
export { newStorageKey } from './storage-keys.ts'
export { createLimitedStorage, createStorage } from './create-storage.ts'
export { findUpload, storeUpload, type Upload } from './uploads.service.ts'
export { removeOldUploads, uploadedBytes } from './uploads-retention.service.ts'
