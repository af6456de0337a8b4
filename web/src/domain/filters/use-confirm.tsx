import { useState } from 'react'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'

/** Asks before an action: `ask` opens `dialog`, which the caller renders. */
export function useQuestion() {
  const [question, setQuestion] = useState({ text: '', act: () => {} })
  const [isOpen, setOpen] = useState(false)
  return {
    ask: (text: string, act: () => void): void => {
      setQuestion({ text, act })
      setOpen(true)
    },
    dialog: (
      <ConfirmDialog
        isOpen={isOpen}
        title="Filter"
        question={question.text}
        confirmLabel="Yes"
        onConfirm={() => {
          setOpen(false)
          question.act()
        }}
        onClose={() => setOpen(false)}
      />
    ),
  }
}
