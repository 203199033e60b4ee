(* claims: prop-ii.3
   theorems: narrow_layer_merges_labels no_robust_memorization differences_keep_apart

   Proposition II.3: a first layer that is narrower than the input merges two labels from
   mu = lambda/4 on, whatever comes after it; and lambda/4 is sharp for the differences. *)

From Coq Require Import Reals Lra Lia PeanoNat.
Require Import Sums.
Open Scope R_scope.

(* The data: 0 with label 1, e_j and its multiples with label 2; so lambda = 1. *)
Definition lambda : R := 1.
Definition unit_vector (j : nat) (i : nat) : R := if Nat.eq_dec i j then 1 else 0.
Definition ball (n : nat) (center : nat -> R) (mu : R) (x : nat -> R) : Prop :=
  forall i, (i < n)%nat -> Rabs (x i - center i) <= mu.

(* Nearer than 1 to 0 lies no multiple k e_j with k >= 1, and e_j lies that near. *)
Lemma separation n j k r : (j < n)%nat -> 1 <= k ->
  ball n (fun _ => 0) r (fun i => k * unit_vector j i) -> lambda <= r.
Proof.
  intros Hj Hk H. specialize (H j Hj). unfold unit_vector, lambda in *.
  destruct (Nat.eq_dec j j); [|easy]. rewrite Rabs_pos_eq in H; lra.
Qed.

(* Moving one term of a sum to its place. *)
Lemma sum_pick n p c u : (p < n)%nat ->
  sum n (fun i => if Nat.eq_dec i p then c else u i)
  = sum n (fun i => if Nat.eq_dec i p then 0 else u i) + c.
Proof.
  induction n as [|n IH]; intros Hp; [lia|]. simpl.
  destruct (Nat.eq_dec n p) as [->|N].
  - rewrite (sum_ext p _ u), (sum_ext p (fun i => if Nat.eq_dec i p then 0 else u i) u).
    + ring.
    + intros i Hi. destruct (Nat.eq_dec i p); [lia | reflexivity].
    + intros i Hi. destruct (Nat.eq_dec i p); [lia | reflexivity].
  - rewrite IH by lia. ring.
Qed.

(* m equations in more than m unknowns have a solution other than 0: from two solutions of all
   equations but the last, one of which vanishes where the other does not, make one of all. *)
Lemma null_direction m : forall n (W : nat -> nat -> R), (m < n)%nat ->
  exists z, (exists j, (j < n)%nat /\ z j <> 0) /\ forall r, (r < m)%nat -> dot n (W r) z = 0.
Proof.
  induction m as [|m IH]; intros n W Hn.
  - exists (fun _ => 1). split; [exists 0%nat; split; [lia | lra] | intros; lia].
  - destruct n as [|n]; [lia|].
    destruct (IH n W ltac:(lia)) as [u [[p [Hp Hu]] Zu]].
    set (W' := fun r i => if Nat.eq_dec i p then W r n else W r i).
    destruct (IH n W' ltac:(lia)) as [v [[k [Hk Hv]] Zv]].
    set (z1 := fun i => if Nat.eq_dec i n then 0 else u i).
    set (z2 := fun i => if Nat.eq_dec i n then v p else if Nat.eq_dec i p then 0 else v i).
    assert (D1 : forall r, dot (S n) (W r) z1 = dot n (W r) u).
    { intros r. unfold dot, z1. simpl. destruct (Nat.eq_dec n n); [|easy].
      rewrite Rmult_0_r, Rplus_0_r. apply sum_ext. intros i Hi.
      destruct (Nat.eq_dec i n); [lia | reflexivity]. }
    assert (D2 : forall r, dot (S n) (W r) z2 = dot n (W' r) v).
    { intros r. unfold dot, z2, W'. simpl. destruct (Nat.eq_dec n n); [|easy].
      rewrite (sum_ext n (fun i => (if Nat.eq_dec i p then W r n else W r i) * v i)
        (fun i => if Nat.eq_dec i p then W r n * v p else W r i * v i)).
      2:{ intros i _. destruct (Nat.eq_dec i p) as [->|]; reflexivity. }
      rewrite sum_pick by exact Hp. f_equal. apply sum_ext. intros i Hi.
      destruct (Nat.eq_dec i n); [lia|]. destruct (Nat.eq_dec i p); ring. }
    assert (N1 : z1 p <> 0) by (unfold z1; destruct (Nat.eq_dec p n); [lia | exact Hu]).
    assert (Z2p : z2 p = 0).
    { unfold z2. destruct (Nat.eq_dec p n); [lia|]. now destruct (Nat.eq_dec p p). }
    assert (N2 : exists j, (j < S n)%nat /\ z2 j <> 0).
    { destruct (Nat.eq_dec k p) as [->|Ne].
      - exists n. split; [lia|]. unfold z2. now destruct (Nat.eq_dec n n).
      - exists k. split; [lia|]. unfold z2. destruct (Nat.eq_dec k n); [lia|].
        destruct (Nat.eq_dec k p); [easy | exact Hv]. }
    set (a := dot (S n) (W m) z2). set (b := dot (S n) (W m) z1).
    destruct (Req_dec b 0) as [Hb|Hb]; [|destruct (Req_dec a 0) as [Ha|Ha]].
    + exists z1. split; [exists p; split; [lia | exact N1]|]. intros r Hr.
      destruct (Nat.eq_dec r m) as [->|]; [exact Hb|]. rewrite D1. apply Zu. lia.
    + exists z2. split; [exact N2|]. intros r Hr.
      destruct (Nat.eq_dec r m) as [->|]; [exact Ha|]. rewrite D2. apply Zv. lia.
    + exists (fun i => a * z1 i - b * z2 i). split.
      * exists p. split; [lia|]. rewrite Z2p. intros E. apply N1.
        apply Rmult_eq_reg_l with a; [lra | exact Ha].
      * intros r Hr. transitivity (a * dot (S n) (W r) z1 - b * dot (S n) (W r) z2).
        { unfold dot. rewrite <- !sum_scal, <- sum_minus. apply sum_ext. intros. ring. }
        destruct (Nat.eq_dec r m) as [->|]; [fold a b; ring|].
        rewrite D1, D2, Zu, Zv by lia. ring.
Qed.

(* Step 1: a direction that nobody sees, scaled so that its largest entry is z_j = 1. *)
Lemma unseen_direction m n (W : nat -> nat -> R) : (m < n)%nat ->
  exists z j, (j < n)%nat /\ z j = 1 /\ (forall i, (i < n)%nat -> Rabs (z i) <= 1) /\
    forall r, (r < m)%nat -> dot n (W r) z = 0.
Proof.
  intros Hmn. destruct (null_direction m n W Hmn) as [z [[j0 [Hj0 N0]] Zz]].
  destruct n as [|n]; [lia|]. destruct (largest_of n (fun i => Rabs (z i))) as [j [Hj M]].
  assert (Nj : z j <> 0).
  { intros E. apply Rabs_pos_lt in N0. specialize (M j0 Hj0). rewrite E, Rabs_R0 in M. lra. }
  exists (fun i => / z j * z i), j. repeat split; [exact Hj | now apply Rinv_l | |].
  - intros i Hi. rewrite Rabs_mult, Rabs_inv. apply Rabs_pos_lt in Nj.
    apply Rmult_le_reg_l with (Rabs (z j)); [exact Nj|]. specialize (M i Hi).
    rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  - intros r Hr. rewrite dot_sym, dot_scal_l, dot_sym, Zz by exact Hr. ring.
Qed.

(* Steps 2 and 3: half of z reaches from ball to ball, and the rest is shared.  Two points with
   different labels give the first layer the same values. *)
Theorem narrow_layer_merges_labels m n (W : nat -> nat -> R) (b : nat -> R) : (m < n)%nat ->
  exists j x x', (j < n)%nat /\ ball n (unit_vector j) (lambda / 4) x /\
    ball n (fun _ => 0) (lambda / 4) x' /\
    forall r, (r < m)%nat -> dot n (W r) x + b r = dot n (W r) x' + b r.
Proof.
  intros Hmn. destruct (unseen_direction m n W Hmn) as [z [j [Hj [Zj [M Zz]]]]].
  set (h := fun i => / 2 * (unit_vector j i - / 2 * z i)).
  assert (Hh : forall i, (i < n)%nat -> Rabs (h i) <= lambda / 4).
  { intros i Hi. unfold h, unit_vector, lambda. specialize (M i Hi). apply Rabs_le_between in M.
    destruct (Nat.eq_dec i j) as [->|]; [rewrite Zj|]; apply Rabs_le; lra. }
  exists j, (fun i => unit_vector j i - h i), h. repeat split; [exact Hj | | |].
  - intros i Hi. replace (unit_vector j i - h i - unit_vector j i) with (- h i) by ring.
    rewrite Rabs_Ropp. now apply Hh.
  - intros i Hi. rewrite Rminus_0_r. now apply Hh.
  - intros r Hr. apply Rplus_eq_compat_r. apply Rminus_diag_uniq.
    transitivity (/ 2 * dot n (W r) z); [|rewrite Zz by exact Hr; ring].
    unfold dot. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros i _. unfold h. field.
Qed.

(* Step 4: whatever follows, F is the same at both points. *)
Theorem no_robust_memorization m n (W : nat -> nat -> R) (b : nat -> R) (F : (nat -> R) -> R) mu :
  (m < n)%nat -> lambda / 4 <= mu ->
  (forall x x', (forall r, (r < m)%nat -> dot n (W r) x + b r = dot n (W r) x' + b r) ->
     F x = F x') ->
  ~ ((forall x, ball n (fun _ => 0) mu x -> F x = 1) /\
     (forall j x, (j < n)%nat -> ball n (unit_vector j) mu x -> F x = 2)).
Proof.
  intros Hmn Hmu HF [H1 H2].
  destruct (narrow_layer_merges_labels m n W b Hmn) as [j [x [x' [Hj [Hx [Hx' E]]]]]].
  specialize (HF x x' E). rewrite (H2 j x Hj), (H1 x') in HF.
  - lra.
  - intros i Hi. eapply Rle_trans; [now apply Hx' | exact Hmu].
  - intros i Hi. eapply Rle_trans; [now apply Hx | exact Hmu].
Qed.

(* Sharp for this layer: the n - 1 differences x_i - x_(i+1) tell every point of a ball around a
   multiple of e_j from every point of the ball around 0, for every mu < lambda/4. *)
Theorem differences_keep_apart n j k mu x x' :
  (2 <= n)%nat -> (j < n)%nat -> 1 <= k -> mu < lambda / 4 ->
  ball n (fun i => k * unit_vector j i) mu x -> ball n (fun _ => 0) mu x' ->
  exists i, (i < n - 1)%nat /\ x i - x (S i) <> x' i - x' (S i).
Proof.
  intros Hn Hj Hk Hmu Hx Hx'. unfold lambda in Hmu.
  assert (B : exists i, (i < n - 1)%nat /\ (i = j \/ S i = j)).
  { destruct j as [|j]; [exists 0%nat | exists j]; split; lia. }
  destruct B as [i [Hi Hij]]. exists i. split; [exact Hi|]. intros E.
  pose proof (Hx i ltac:(lia)) as A. pose proof (Hx (S i) ltac:(lia)) as A'.
  pose proof (Hx' i ltac:(lia)) as C. pose proof (Hx' (S i) ltac:(lia)) as C'.
  simpl in *. unfold unit_vector in *.
  apply Rabs_le_between in A, A', C, C'.
  destruct Hij as [-> | <-];
    repeat match goal with H : context [Nat.eq_dec ?u ?v] |- _ =>
      destruct (Nat.eq_dec u v); try lia end; lra.
Qed.
