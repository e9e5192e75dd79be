"""AMD's headers of the AIE API as an oracle: generated kernels compile against them, on declarations of the intrinsics below."""
