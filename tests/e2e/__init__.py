"""podwire beside a real Kubernetes: what a cluster does with a pod is what podwire says of it."""
