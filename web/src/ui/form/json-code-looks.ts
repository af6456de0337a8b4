import { EditorView } from '@codemirror/view'

/** The editor's theme, in the colors of the page, light and dark. */
export const jsonCodeLooks = EditorView.theme({
  '&': {
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    fontSize: '12.5px',
  },
  '&.cm-focused': { outline: 'none', borderColor: 'var(--mantine-primary-color-filled)' },
  '&:has([aria-invalid="true"])': { borderColor: 'var(--mantine-color-error)' },
  '.cm-scroller': { maxHeight: '320px', minHeight: '96px', fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-content': { caretColor: 'currentColor', padding: '5px 0' },
  '.cm-gutters': {
    borderRight: '1px solid var(--ui-border)',
    backgroundColor: 'var(--ui-surface-sunk)',
    color: 'var(--mantine-color-dimmed)',
  },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '3px 1px' },
  '.cm-lint-marker': { width: '11px', height: '11px' },
  '.cm-foldGutter span': { padding: '0 3px' },
  '.cm-foldPlaceholder': {
    border: '1px solid var(--ui-border)',
    backgroundColor: 'var(--ui-hover)',
    color: 'var(--mantine-color-dimmed)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--ui-selected)' },
  '.cm-tooltip': {
    border: '1px solid var(--ui-border)',
    borderRadius: 'var(--mantine-radius-default)',
    backgroundColor: 'var(--ui-surface)',
    color: 'var(--mantine-color-text)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxWidth: 'min(520px, 90vw)',
    padding: '4px',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '12.5px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', borderRadius: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--ui-selected)',
    color: 'var(--ui-selected-text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 700 },
  '.cm-completionDetail': {
    color: 'var(--mantine-color-dimmed)',
    fontFamily: 'var(--mantine-font-family)',
    fontStyle: 'normal',
    fontSize: '12px',
  },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-diagnostic': { padding: '4px 8px' },
  '.cm-panels': { backgroundColor: 'var(--ui-surface-sunk)', color: 'inherit' },
  '.cm-panel.cm-panel-lint [aria-selected]': { backgroundColor: 'var(--ui-selected)', color: 'inherit' },
})
