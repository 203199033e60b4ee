(* claims: thm-ii.4.8
   theorems: closed_form_on_the_balls running_maximum parameters

   Theorem II.4.8: the closed form of the network that memorizes robustly has the right label on
   every ball, for every budget below half of the separation. *)

From Coq Require Import Reals Lra Lia.
Require Import Sums.
Open Scope R_scope.

(* The largest of the first n values of u, none of them negative. *)
Fixpoint largest (n : nat) (u : nat -> R) : R :=
  match n with O => 0 | S k => Rmax (largest k u) (u k) end.

Lemma largest_above n u k : (k < n)%nat -> u k <= largest n u.
Proof.
  induction n as [|n IH]; intros Hk; [lia|]. simpl.
  destruct (Nat.eq_dec k n) as [->|]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia | apply Rmax_l].
Qed.

Lemma largest_below n u top : 0 <= top -> (forall i, (i < n)%nat -> u i <= top) ->
  largest n u <= top.
Proof. induction n; intros H0 H; simpl; [exact H0|]. apply Rmax_lub; auto. Qed.

Section Network.
Variables (n N : nat) (X : nat -> nat -> R) (y : nat -> R) (lambda mu : R).

(* The closed ball of the maximum norm around sample i. *)
Definition ball (i : nat) (x : nat -> R) : Prop :=
  forall j, (j < n)%nat -> Rabs (x j - X i j) <= mu.

(* Samples with different labels are at least lambda apart in some coordinate. *)
Hypothesis Hlambda : forall i k, (i < N)%nat -> (k < N)%nat -> y i <> y k ->
  exists j, (j < n)%nat /\ lambda <= Rabs (X i j - X k j).
Hypothesis Hmu : mu < lambda / 2.
Hypothesis Hy : forall i, (i < N)%nat -> 0 < y i.

(* How far x sticks out of ball i, the bump over it, and the network. *)
Definition s (i : nat) (x : nat -> R) : R := sum n (fun j => pos (Rabs (x j - X i j) - mu)).
Definition bump (i : nat) (x : nat -> R) : R := y i * pos (1 - s i x / (lambda - 2 * mu)).
Definition F (x : nat -> R) : R := largest N (fun i => bump i x).

Lemma pos_ge0 u : 0 <= pos u.
Proof. apply Rmax_r. Qed.

Lemma s_ge0 i x : 0 <= s i x.
Proof. apply sum_pos. intros. apply pos_ge0. Qed.

(* (i) The own bump is full. *)
Lemma own_bump k x : ball k x -> bump k x = y k.
Proof.
  intros Hb. unfold bump. replace (s k x) with 0.
  - unfold pos, Rdiv. rewrite Rmult_0_l, Rminus_0_r, Rmax_left by lra. ring.
  - unfold s. transitivity (sum n (fun _ => 0)); [rewrite sum_const; ring|].
    apply sum_ext. intros j Hj. unfold pos. rewrite Rmax_right; [reflexivity|].
    specialize (Hb j Hj). lra.
Qed.

(* (ii) Other labels are silent: one coordinate already gives s_i >= lambda - 2 mu. *)
Lemma other_bumps i k x : (i < N)%nat -> (k < N)%nat -> y i <> y k -> ball k x -> bump i x = 0.
Proof.
  intros Hi Hk Hne Hb. destruct (Hlambda i k Hi Hk Hne) as [j [Hj Hl]]. specialize (Hb j Hj).
  assert (A : lambda - mu <= Rabs (x j - X i j)).
  { replace (X i j - X k j) with ((x j - X k j) - (x j - X i j)) in Hl by ring.
    pose proof (Rabs_triang (x j - X k j) (- (x j - X i j))) as T. rewrite Rabs_Ropp in T.
    unfold Rminus at 1 in Hl. lra. }
  assert (S : lambda - 2 * mu <= s i x).
  { eapply Rle_trans; [|apply (sum_term n _ j); [intros; apply pos_ge0 | exact Hj]].
    simpl. unfold pos. eapply Rle_trans; [|apply Rmax_l]. lra. }
  unfold bump, pos. rewrite Rmax_right; [ring|].
  assert (1 <= s i x / (lambda - 2 * mu)); [|lra].
  apply Rmult_le_reg_r with (lambda - 2 * mu); [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* (iii) A bump is never higher than its label. *)
Lemma bump_below i x : (i < N)%nat -> bump i x <= y i.
Proof.
  intros Hi. unfold bump. rewrite <- (Rmult_1_r (y i)) at 2. pose proof (Hy i Hi).
  apply Rmult_le_compat_l; [lra|]. unfold pos. apply Rmax_lub; [|lra].
  assert (0 <= s i x / (lambda - 2 * mu)); [|lra].
  apply Rmult_le_pos; [apply s_ge0 | left; apply Rinv_0_lt_compat; lra].
Qed.

Theorem closed_form_on_the_balls k x : (k < N)%nat -> ball k x -> F x = y k.
Proof.
  intros Hk Hb. pose proof (Hy k Hk). apply Rle_antisym.
  - apply largest_below; [lra|]. intros i Hi. destruct (Req_dec (y i) (y k)) as [<-|Hne].
    + now apply bump_below.
    + rewrite (other_bumps i k x) by assumption. lra.
  - rewrite <- (own_bump k x Hb). now apply (largest_above N (fun i => bump i x)).
Qed.

(* The network reads one sample after the other, and needs nothing but ReLU to keep the largest
   bump: acc + relu(v - acc), with v = y_i (1 - s_i/(lambda - 2 mu)), from acc = 0 on. *)
Fixpoint acc (k : nat) (x : nat -> R) : R :=
  match k with
  | O => 0
  | S i => acc i x + pos (y i * (1 - s i x / (lambda - 2 * mu)) - acc i x)
  end.

Theorem running_maximum x : acc N x = F x.
Proof.
  unfold F. assert (H : forall k, (k <= N)%nat ->
    0 <= acc k x /\ acc k x = largest k (fun i => bump i x)).
  { induction k as [|k IH]; intros Hk; simpl; [lra|].
    destruct (IH ltac:(lia)) as [H0 E]. rewrite <- E. pose proof (Hy k ltac:(lia)).
    set (v := 1 - s k x / (lambda - 2 * mu)). unfold bump, pos. fold v.
    unfold Rmax. destruct (Rle_dec v 0), (Rle_dec (y k * v - acc k x) 0);
      repeat destruct (Rle_dec _ _); split; nra. }
  now apply H.
Qed.
End Network.

(* Its nonzero parameters, layer by layer. *)
Theorem parameters (n N : nat) : (1 <= N)%nat ->
  (6 * n + (N - 1) * (5 * n + 2) + (N - 1) * (3 * n + 3) + (2 * n + 3) + 2 = N * (8 * n + 5))%nat.
Proof. intros H. destruct N as [|N]; [lia|]. replace (S N - 1)%nat with N by lia. ring. Qed.
