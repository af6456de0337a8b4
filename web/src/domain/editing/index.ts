/** Editing items that others may edit at the same time: a form opens with fresh values, and no save undoes another. */
export { changeFresh } from './change-fresh.ts'
export { editedForm } from './edited-form.ts'
export { OpenedItem } from './opened-item.tsx'
export { SavedMeanwhile } from './saved-meanwhile.tsx'
export { type Editing, useEditing } from './use-editing.ts'
