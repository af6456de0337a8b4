/** Files: where they are kept, signed links to them, and what people upload. What other modules may use. */
export { fileRoutes } from './files.routes.ts'
export { newStorageKey } from './storage-keys.ts'
export { createStorage } from './create-storage.ts'
export { findUpload, storeUpload, type Upload } from './uploads.service.ts'
export { removeOldUploads, uploadedBytes } from './uploads-retention.service.ts'
