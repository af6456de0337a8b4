/** Editing what others may edit at the same time: fresh values when a form opens, and no save that undoes another. */
export { changeFresh } from './change-fresh.ts'
export { editedForm } from './edited-form.ts'
export { OpenedItem } from './opened-item.tsx'
export { SavedMeanwhile } from './saved-meanwhile.tsx'
export { type Editing, useEditing } from './use-editing.ts'
