import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Annotation, EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { jsonCodeLooks } from './json-code-looks.ts'
import type { JsonEditorProps } from './json-editor.tsx'
import { scanJson } from './json-scan.ts'

type Settings = Pick<JsonEditorProps, 'value' | 'problems' | 'suggest' | 'onChange'> & {
  /** Attributes of the text: its name, its description, whether it is wrong. */
  attributes: Record<string, string>
}

export type JsonCode = { update: (settings: Settings) => void; destroy: () => void }

const fromOutside = Annotation.define<boolean>()

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#1f469f, #9dbaff)' },
  { tag: tags.string, color: 'light-dark(#8a2f12, #f0a98f)' },
  { tag: tags.number, color: 'light-dark(#0b6357, #7fd4c1)' },
  { tag: [tags.bool, tags.null], color: 'light-dark(#7a2a86, #dda3e8)' },
])

/** Puts an editor of JSON into an element. Tab leaves it, as it leaves any field. */
export function startJsonCode(parent: HTMLElement, first: Settings): JsonCode {
  let settings = first
  const view = new EditorView({
    parent,
    doc: first.value,
    extensions: [
      lineNumbers(),
      foldGutter({ openText: '▾', closedText: '▸' }),
      lintGutter(),
      history(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      json(),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      autocompletion({ icons: false, override: [(context) => completionsAt(context, settings.suggest)] }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...defaultKeymap,
      ]),
      jsonCodeLooks,
      EditorView.contentAttributes.of(({ state }) => ({
        ...settings.attributes,
        spellcheck: 'false',
        tabindex: '0',
        // Escape closes the suggestions, not the dialog around them.
        ...(completionStatus(state) !== null && { 'data-mantine-stop-propagation': 'true' }),
      })),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        const isTyped = docChanged && !transactions.some((one) => one.annotation(fromOutside))
        if (isTyped) settings.onChange(state.doc.toString())
      }),
    ],
  })
  const update = (next: Settings): void => {
    settings = next
    const { doc } = view.state
    if (doc.toString() !== next.value) {
      const changes = { from: 0, to: doc.length, insert: next.value }
      view.dispatch({ changes, annotations: fromOutside.of(true) })
    }
    // Also applies the attributes.
    view.dispatch(setDiagnostics(view.state, diagnosticsOf(next)))
  }
  update(first)
  return { update, destroy: () => view.destroy() }
}

const diagnosticsOf = ({ problems, value }: Settings) =>
  problems.map(({ from, to, message }) => ({
    from: Math.min(from, value.length),
    to: Math.min(to, value.length),
    severity: 'error' as const,
    message,
  }))

/** Names or values that fit where the cursor is: while something is typed, or when they are asked for. */
function completionsAt(context: CompletionContext, suggest: JsonEditorProps['suggest']): CompletionResult | null {
  const text = context.state.doc.toString()
  const { spot } = scanJson(text, context.pos)
  if (!spot || (!context.explicit && spot.from === context.pos)) return null
  const typed = text.slice(spot.from, spot.to)
  const options =
    spot.of === 'value'
      ? suggest.values(spot.path).map((label): Completion => ({ label }))
      : suggest
          .names(spot.path)
          .filter(({ name }) => !spot.names.includes(name) || typed === JSON.stringify(name))
          .map(({ name, info, value }) => nameCompletion(name, info, value))
  return options.length === 0 ? null : { from: spot.from, to: spot.to, options, validFor: /^"?[\w-]*"?$/ }
}

/** A name with its colon and the beginning of its value, and then the values to choose from. */
function nameCompletion(name: string, info: string | undefined, value: string): Completion {
  return {
    label: JSON.stringify(name),
    ...(info !== undefined && { detail: info }),
    apply: (view, _, from, to) => {
      const hasColon = /^\s*:/.test(view.state.sliceDoc(to, to + 20))
      const insert = hasColon ? JSON.stringify(name) : `${JSON.stringify(name)}: ${value}`
      // Between the brackets or quotes of an empty value.
      const back = !hasColon && value.length === 2 ? 1 : 0
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length - back },
        userEvent: 'input.complete',
      })
      startCompletion(view)
    },
  }
}
