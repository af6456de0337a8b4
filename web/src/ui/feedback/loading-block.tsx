import { Skeleton, type SkeletonProps } from '@mantine/core'

/** A placeholder for loading content; a screen reader says that it is loading. */
export function LoadingBlock(props: SkeletonProps) {
  return <Skeleton component="output" aria-label="Loading" {...props} />
}
