import type { ImportReview } from '@portico/contract/import-review'
import { Alert, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ProgressLine } from '#ui/feedback/progress-line.tsx'
import { useImportReview } from '../imports-queries.ts'
import type { FormSubmission } from '../new-import/form-submission.ts'
import { ImportFooter } from '../new-import/import-footer.tsx'
import type { OpenedReview } from './opened-review.ts'
import css from './review.module.css'
import { ReviewedEffect } from './reviewed-effect.tsx'
import { reviewProgress, reviewSummary } from './review-texts.ts'

type ReviewStepProps = {
  opened: OpenedReview
  sending: FormSubmission
  /** Back to the form, which has kept its values. */
  onBack: () => void
  onClose: () => void
}

/** The effect of an import on the contacts, computed from the whole file before anything is written. */
export function ReviewStep({ opened: { started, file, body }, sending, onBack, onClose }: ReviewStepProps) {
  const { data: review, error, refetch } = useImportReview(started)
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that led here is gone.
  useEffect(() => heading.current?.focus(), [])
  const outcome = error === null && review.status === 'completed' ? review.outcome : null
  const hasEnded = isApiError(error, 'not_found')
  const submit = (): void => void sending.submit(file, body)
  function back(): void {
    sending.forgetFailure()
    onBack()
  }
  return (
    <DialogForm
      onSubmit={() => outcome && submit()}
      footer={
        <ImportFooter
          sending={sending}
          file={file}
          onBack={back}
          hasNext={false}
          onSubmit={outcome && submit}
          onCancel={onClose}
        />
      }
    >
      <Stack gap="md" mih={{ base: 340, sm: 480 }}>
        <div>
          <Title order={3} size={16} ref={heading} tabIndex={-1} className={css['heading'] ?? ''}>
            {`Review of ${file.name}`}
          </Title>
          <Text component="output" display="block" size="sm" mt={4}>
            {reviewSummary(review, error !== null)}
          </Text>
        </div>
        {error !== null ? (
          <FailureState
            message={hasEnded ? endedText : messageOf(error)}
            onRetry={() => void (hasEnded ? sending.review(file, body) : refetch())}
          />
        ) : outcome ? (
          <ReviewedEffect outcome={outcome} />
        ) : review.status === 'rejected' ? (
          <Rejection reason={review.recoveryError} />
        ) : (
          <Progress review={review} fileName={file.name} />
        )}
      </Stack>
    </DialogForm>
  )
}

const endedText = 'This review is no longer kept: another one was started, or it is over an hour old.'

function Rejection({ reason }: { reason: string | null }) {
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title="The import would be rejected"
      style={{ overflowWrap: 'anywhere' }}
    >
      {reason}
    </Alert>
  )
}

function Progress({ review, fileName }: { review: ImportReview; fileName: string }) {
  const { share, text } = reviewProgress(review)
  return (
    <div>
      <ProgressLine value={share} label={`Review of ${fileName}`} text={text} />
      {review.recoveryError !== null && (
        <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
          {review.recoveryError}
        </Text>
      )}
    </div>
  )
}
