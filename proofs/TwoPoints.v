(* claims: thm-4.3
   theorems: two_points

   A smaller step alone does not save Theorem 4.3.  Two unit vectors x and y at distance 1/5 have
   the labels 1 and -1; K = 1, eps = 1/4, the loss is absolute, and the adversary can do nothing.
   With the step eps m^(-3/5), weights of the printed ball fit both labels up to 1/4, while every one
   of the T = K^2/eps^2 = 16 rounds of the run costs at least 7/10. *)

From Coq Require Import Reals Lra Lia.
Require Import Sums.
Open Scope R_scope.

Definition weight (m : R) : R := Rpower m (-(1/5)).                    (* |a_r| *)
Definition radius (m : R) : R := Rpower m (-(3/5)).
Definition eps : R := 1/4.
Definition smaller_step (m : R) : R := eps * Rpower m (-(3/5)).        (* eta *)
Definition rounds : nat := 16.

Section Two_points.
Variables (d m : nat) (tau : R) (out x y : nat -> R) (W0 : nat -> nat -> R).

Definition f (W : nat -> nat -> R) (p : nat -> R) : R :=
  sum m (fun r => out r * (dot d (W r) p * above (dot d (W r) p) tau)).
Definition loss (W : nat -> nat -> R) : R := (Rabs (f W x - 1) + Rabs (f W y + 1)) / 2.

(* A step of Algorithm 1; s and s' are the slopes of the absolute loss at the two points. *)
Definition step (eta s s' : R) (W : nat -> nat -> R) (r j : nat) : R :=
  W r j - eta / 2 * out r
    * (s * above (dot d (W r) x) tau * x j + s' * above (dot d (W r) y) tau * y j).
Fixpoint run (eta : R) (s s' : nat -> R) (t : nat) : nat -> nat -> R :=
  match t with O => W0 | S k => step eta (s k) (s' k) (run eta s s' k) end.

(* No pre-activation is so close to the threshold that a move inside the ball could flip it. *)
Definition clear (rho : R) : Prop := forall r,
  (tau + rho < dot d (W0 r) x /\ tau + rho < dot d (W0 r) y) \/
  (dot d (W0 r) x < tau - rho /\ dot d (W0 r) y < tau - rho).
Definition active : R := sum m (fun r => above (dot d (W0 r) x) tau).

Hypotheses (Hx : dot d x x = 1) (Hy : dot d y y = 1) (Hxy : dot d x y = 49/50).

Lemma dot_step eta s s' W r p : dot d (step eta s s' W r) p =
  dot d (W r) p - eta / 2 * out r * (s * above (dot d (W r) x) tau * dot d x p
                                     + s' * above (dot d (W r) y) tau * dot d y p).
Proof.
  unfold dot at 1. unfold step.
  rewrite (sum_ext _ _ (fun j => W r j * p j
    - (eta / 2 * out r * s * above (dot d (W r) x) tau * (x j * p j)
       + eta / 2 * out r * s' * above (dot d (W r) y) tau * (y j * p j)))) by (intros; ring).
  rewrite sum_minus, sum_plus, !sum_scal. unfold dot. ring.
Qed.

(* Weights that are near the first ones have their pattern, at both points. *)
Lemma same_pattern rho W r : clear rho ->
  Rabs (dot d (W r) x - dot d (W0 r) x) <= rho -> Rabs (dot d (W r) y - dot d (W0 r) y) <= rho ->
  above (dot d (W r) x) tau = above (dot d (W0 r) x) tau /\
  above (dot d (W r) y) tau = above (dot d (W0 r) x) tau.
Proof.
  intros C A B. apply Rabs_le_between in A, B. unfold above.
  destruct (C r) as [[P Q]|[P Q]]; repeat destruct (Rlt_dec _ _); lra.
Qed.

Lemma above_bit u t : above u t * above u t = above u t /\ 0 <= above u t <= 1.
Proof. unfold above. destruct (Rlt_dec t u); lra. Qed.

Lemma f_pattern rho W : clear rho ->
  (forall r, Rabs (dot d (W r) x - dot d (W0 r) x) <= rho) ->
  (forall r, Rabs (dot d (W r) y - dot d (W0 r) y) <= rho) ->
  f W x = sum m (fun r => out r * (dot d (W r) x * above (dot d (W0 r) x) tau)) /\
  f W y = sum m (fun r => out r * (dot d (W r) y * above (dot d (W0 r) x) tau)).
Proof.
  intros C A B.
  split; apply sum_ext; intros r _; destruct (same_pattern rho W r C (A r) (B r)) as [P Q];
    congruence.
Qed.

(* One step moves each pre-activation by at most eta |a_r|. *)
Lemma step_moves eta s s' W r p : 0 <= eta -> Rabs s <= 1 -> Rabs s' <= 1 ->
  Rabs (dot d x p) <= 1 -> Rabs (dot d y p) <= 1 ->
  Rabs (dot d (step eta s s' W r) p - dot d (W r) p) <= eta * Rabs (out r).
Proof.
  intros He Hs Hs' Px Py. rewrite dot_step.
  destruct (above_bit (dot d (W r) x) tau) as [_ B].
  destruct (above_bit (dot d (W r) y) tau) as [_ B'].
  set (b := above (dot d (W r) x) tau) in *. set (b' := above (dot d (W r) y) tau) in *.
  replace (dot d (W r) p - eta / 2 * out r * (s * b * dot d x p + s' * b' * dot d y p)
           - dot d (W r) p)
    with (- (eta / 2) * out r * (s * b * dot d x p + s' * b' * dot d y p)) by ring.
  rewrite !Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (eta / 2)) by lra.
  assert (T : forall u v w, Rabs u <= 1 -> 0 <= v <= 1 -> Rabs w <= 1 -> Rabs (u * v * w) <= 1).
  { intros u v w Hu Hv Hw. rewrite !Rabs_mult, (Rabs_pos_eq v) by lra.
    pose proof (Rabs_pos u). pose proof (Rabs_pos w).
    assert (Rabs u * v <= 1) by nra. assert (0 <= Rabs u * v) by nra. nra. }
  pose proof (Rabs_triang (s * b * dot d x p) (s' * b' * dot d y p)).
  pose proof (T s b (dot d x p) Hs B Px). pose proof (T s' b' (dot d y p) Hs' B' Py).
  pose proof (Rabs_pos (out r)).
  assert (0 <= eta / 2 * Rabs (out r)) by (apply Rmult_le_pos; lra).
  nra.
Qed.

Section Width.
Variable q : R.                                                        (* m^(1/5) *)
Hypotheses (Hq : 0 < q) (Hm : INR m = q ^ 5) (Hout : forall r, Rabs (out r) = / q).
Hypothesis Hclear : clear (/ q ^ 3).
Hypothesis Hactive : 10 * q ^ 4 <= active.

Lemma active_le : active <= q ^ 5.
Proof.
  rewrite <- Hm. unfold active. rewrite <- (Rmult_1_r (INR m)), <- sum_const.
  apply sum_le. intros r _. apply above_bit.
Qed.

Lemma q_large : 10 <= q.
Proof.
  pose proof active_le. assert (0 < q ^ 4) by (apply pow_lt; lra).
  apply Rmult_le_reg_r with (q ^ 4); [assumption|]. simpl in *. lra.
Qed.

Lemma out_sq r : out r * out r = / q * / q.
Proof.
  specialize (Hout r). rewrite <- Hout. unfold Rabs. destruct (Rcase_abs (out r)); ring.
Qed.

Section Run.
Variables s s' : nat -> R.
Hypothesis Hs : forall t, Rabs (s t) <= 1 /\ Rabs (s' t) <= 1.
Let eta := 1/4 * / q ^ 3.

Lemma eta_pos : 0 <= eta.
Proof.
  unfold eta. assert (0 < / q ^ 3) by (apply Rinv_0_lt_compat, pow_lt; lra). lra.
Qed.

Lemma run_moves t r :
  Rabs (dot d (run eta s s' t r) x - dot d (W0 r) x) <= INR t * (eta * / q) /\
  Rabs (dot d (run eta s s' t r) y - dot d (W0 r) y) <= INR t * (eta * / q).
Proof.
  assert (Sx : dot d y x = 49/50) by (rewrite dot_sym; exact Hxy).
  induction t as [|t [A B]].
  - simpl. rewrite !Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite S_INR. destruct (Hs t) as [U V]. cbn [run].
    pose proof (step_moves eta (s t) (s' t) (run eta s s' t) r x eta_pos U V) as P.
    pose proof (step_moves eta (s t) (s' t) (run eta s s' t) r y eta_pos U V) as Q.
    rewrite Hout, ?Hx, ?Hy, ?Hxy, ?Sx in P, Q.
    specialize (P ltac:(rewrite Rabs_pos_eq; lra) ltac:(rewrite Rabs_pos_eq; lra)).
    specialize (Q ltac:(rewrite Rabs_pos_eq; lra) ltac:(rewrite Rabs_pos_eq; lra)).
    apply Rabs_le_between in A. apply Rabs_le_between in B. apply Rabs_le_between in P.
    apply Rabs_le_between in Q. cbn [run] in *. split; apply Rabs_le; lra.
Qed.

(* 16 steps move a pre-activation by at most 4 m^(-4/5), which is less than m^(-3/5). *)
Lemma run_near t r : (t <= 16)%nat ->
  Rabs (dot d (run eta s s' t r) x - dot d (W0 r) x) <= / q ^ 3 /\
  Rabs (dot d (run eta s s' t r) y - dot d (W0 r) y) <= / q ^ 3.
Proof.
  intros Ht. destruct (run_moves t r) as [A B]. assert (H : 10 <= q) by exact q_large.
  assert (E : INR t * (eta * / q) <= / q ^ 3).
  { apply le_INR in Ht. replace (INR 16) with 16 in Ht by (simpl; ring).
    assert (P : 0 < / q ^ 3) by (apply Rinv_0_lt_compat, pow_lt; lra).
    assert (Q : 0 < / q) by (apply Rinv_0_lt_compat; lra).
    assert (q * / q = 1) by (apply Rinv_r; lra).
    assert (4 * / q <= 1) by nra.
    unfold eta. set (p := / q ^ 3) in *. set (i := / q) in *.
    assert (INR t * i <= 4) by (pose proof (pos_INR t); nra).
    replace (INR t * (1/4 * p * i)) with (p * (INR t * i / 4)) by field. nra. }
  split; lra.
Qed.

Definition apart (W : nat -> nat -> R) : R := f W x - f W y.

(* A step raises f(x) - f(y) by at most eta m a^2 |x - y|^2 / 2 = 1/200. *)
Lemma run_apart t : (t <= 16)%nat -> apart (run eta s s' t) <= apart W0 + INR t * (1/200).
Proof.
  assert (Sx : dot d y x = 49/50) by (rewrite dot_sym; exact Hxy).
  induction t as [|t IH]; intros Ht; [simpl; lra|].
  specialize (IH ltac:(lia)). rewrite S_INR.
  set (W := run eta s s' t) in *.
  assert (N : forall r, Rabs (dot d (W r) x - dot d (W0 r) x) <= / q ^ 3 /\
                        Rabs (dot d (W r) y - dot d (W0 r) y) <= / q ^ 3)
    by (intros; apply run_near; lia).
  assert (N' : forall r, Rabs (dot d (run eta s s' (S t) r) x - dot d (W0 r) x) <= / q ^ 3 /\
                         Rabs (dot d (run eta s s' (S t) r) y - dot d (W0 r) y) <= / q ^ 3)
    by (intros; apply run_near; lia).
  destruct (f_pattern _ W Hclear (fun r => proj1 (N r)) (fun r => proj2 (N r))) as [Fx Fy].
  destruct (f_pattern _ _ Hclear (fun r => proj1 (N' r)) (fun r => proj2 (N' r))) as [Gx Gy].
  assert (D : apart (run eta s s' (S t)) - apart W
              = - (eta * (s t - s' t) / 100 * (/ q * / q)) * active).
  { unfold apart. rewrite Gx, Gy, Fx, Fy. unfold active. rewrite <- sum_scal.
    match goal with |- ?a - ?b - (?c - ?e) = _ =>
      replace (a - b - (c - e)) with (a - b + (e - c)) by ring end.
    rewrite <- !sum_minus, <- sum_plus. apply sum_ext. intros r _.
    cbn [run]. fold W. rewrite !dot_step.
    destruct (same_pattern _ W r Hclear (proj1 (N r)) (proj2 (N r))) as [-> ->].
    rewrite Hx, Hy, Hxy, Sx. rewrite <- (out_sq r).
    destruct (above_bit (dot d (W0 r) x) tau) as [B _].
    set (b := above (dot d (W0 r) x) tau) in *.
    replace (- (eta * (s t - s' t) / 100 * (out r * out r)) * b)
      with (- (eta * (s t - s' t) / 100 * (out r * out r)) * (b * b)) by now rewrite B.
    field. }
  destruct (Hs t) as [U V]. apply Rabs_le_between in U. apply Rabs_le_between in V.
  pose proof active_le as A. assert (A0 : 0 <= active) by (apply sum_pos; intros; apply above_bit).
  assert (E : eta * (/ q * / q) * q ^ 5 = 1/4) by (unfold eta; field; lra).
  assert (C : 0 <= eta * (/ q * / q)).
  { assert (0 < / q) by (apply Rinv_0_lt_compat; lra). apply Rmult_le_pos; [exact eta_pos | nra]. }
  replace (- (eta * (s t - s' t) / 100 * (/ q * / q)) * active)
    with ((s' t - s t) / 100 * (eta * (/ q * / q) * active)) in D by (field; lra).
  assert (G : eta * (/ q * / q) * active <= 1/4).
  { rewrite <- E. now apply Rmult_le_compat_l. }
  assert (G0 : 0 <= eta * (/ q * / q) * active) by now apply Rmult_le_pos.
  generalize dependent (eta * (/ q * / q) * active). intros g D G G0. nra.
Qed.
End Run.

Definition comparison (W : nat -> nat -> R) (r j : nat) : R :=
  W r j + 50 * q * q / active * out r * above (dot d (W0 r) x) tau * (x j - y j).

Lemma active_pos : 0 < active.
Proof. assert (0 < q ^ 4) by (apply pow_lt; lra). lra. Qed.

Lemma dot_comparison r p : dot d (comparison W0 r) p = dot d (W0 r) p
  + 50 * q * q / active * out r * above (dot d (W0 r) x) tau * (dot d x p - dot d y p).
Proof.
  unfold dot at 1. unfold comparison.
  rewrite (sum_ext _ _ (fun j => W0 r j * p j
    + 50 * q * q / active * out r * above (dot d (W0 r) x) tau * (x j * p j - y j * p j)))
    by (intros; ring).
  rewrite sum_plus, sum_scal, sum_minus. reflexivity.
Qed.

Lemma factor_size r :
  Rabs (50 * q * q / active * out r * above (dot d (W0 r) x) tau) <= 5 * / q ^ 3.
Proof.
  pose proof active_pos. destruct (above_bit (dot d (W0 r) x) tau) as [_ B].
  set (b := above (dot d (W0 r) x) tau) in *.
  rewrite !Rabs_mult, Hout, (Rabs_pos_eq b) by lra.
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ active)) by (left; now apply Rinv_0_lt_compat).
  rewrite (Rabs_pos_eq (50 * q * q)) by nra.
  assert (I : / active <= / (10 * q ^ 4)).
  { apply Rinv_le_contravar; [|exact Hactive]. assert (0 < q ^ 4) by (apply pow_lt; lra). lra. }
  assert (E : 50 * q * q * / (10 * q ^ 4) * / q = 5 * / q ^ 3) by (field; lra).
  assert (0 < / q) by (apply Rinv_0_lt_compat; lra).
  assert (P : 0 <= 50 * q * q * / q) by (apply Rmult_le_pos; nra).
  assert (Q : 50 * q * q * / active * / q <= 5 * / q ^ 3).
  { rewrite <- E. replace (50 * q * q * / active * / q) with (50 * q * q * / q * / active) by ring.
    replace (50 * q * q * / (10 * q ^ 4) * / q)
      with (50 * q * q * / q * / (10 * q ^ 4)) by ring.
    now apply Rmult_le_compat_l. }
  assert (0 < / active) by now apply Rinv_0_lt_compat.
  assert (0 <= 50 * q * q * / active * / q) by (repeat apply Rmult_le_pos; lra).
  nra.
Qed.

Lemma distance : norm d (minus x y) = 1/5.
Proof.
  unfold norm. replace (dot d (minus x y) (minus x y)) with (1/5 * (1/5)).
  - rewrite sqrt_square; lra.
  - rewrite dot_minus_l, !(dot_sym d _ (minus x y)), !dot_minus_l, (dot_sym d y x), Hx, Hy, Hxy.
    lra.
Qed.

Lemma comparison_in_ball r : norm d (minus (comparison W0 r) (W0 r)) <= / q ^ 3.
Proof.
  set (c := 50 * q * q / active * out r * above (dot d (W0 r) x) tau).
  replace (norm d (minus (comparison W0 r) (W0 r))) with (norm d (fun j => c * minus x y j)).
  - rewrite norm_scal, distance. pose proof (factor_size r) as F. fold c in F. lra.
  - unfold norm, dot. f_equal. apply sum_ext. intros. unfold minus, comparison, c. ring.
Qed.

Lemma comparison_outputs : f (comparison W0) x = f W0 x + 1 /\ f (comparison W0) y = f W0 y - 1.
Proof.
  assert (Sx : dot d y x = 49/50) by (rewrite dot_sym; exact Hxy).
  assert (P : 0 < / q ^ 3) by (apply Rinv_0_lt_compat, pow_lt; lra).
  assert (Z : forall r p, Rabs (dot d (W0 r) p - dot d (W0 r) p) <= / q ^ 3).
  { intros. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra. }
  assert (N : forall p, Rabs (dot d x p - dot d y p) <= 1/50 ->
              forall r, Rabs (dot d (comparison W0 r) p - dot d (W0 r) p) <= / q ^ 3).
  { intros p Hp r. rewrite dot_comparison.
    set (c := 50 * q * q / active * out r * above (dot d (W0 r) x) tau) in *.
    replace (dot d (W0 r) p + c * (dot d x p - dot d y p) - dot d (W0 r) p)
      with (c * (dot d x p - dot d y p)) by ring.
    rewrite Rabs_mult. pose proof (factor_size r) as F. fold c in F.
    pose proof (Rabs_pos c). pose proof (Rabs_pos (dot d x p - dot d y p)). nra. }
  assert (Nx : Rabs (dot d x x - dot d y x) <= 1/50) by (rewrite Hx, Sx, Rabs_pos_eq; lra).
  assert (Ny : Rabs (dot d x y - dot d y y) <= 1/50).
  { rewrite Hy, Hxy. rewrite Rabs_minus_sym, Rabs_pos_eq; lra. }
  destruct (f_pattern _ (comparison W0) Hclear (N x Nx) (N y Ny)) as [Fx Fy].
  destruct (f_pattern _ W0 Hclear (fun r => Z r x) (fun r => Z r y)) as [Gx Gy].
  pose proof active_pos as A.
  assert (S : sum m (fun r => q * q / active * (/ q * / q) * above (dot d (W0 r) x) tau) = 1).
  { rewrite sum_scal. fold active. field. lra. }
  rewrite Fx, Fy, Gx, Gy, <- S, <- sum_plus, <- sum_minus.
  split; apply sum_ext; intros r _; rewrite dot_comparison, ?Hx, ?Hy, ?Hxy, ?Sx, <- (out_sq r);
    destruct (above_bit (dot d (W0 r) x) tau) as [B _];
    set (b := above (dot d (W0 r) x) tau) in *; clearbody b;
    replace (q * q / active * (out r * out r) * b)
      with (q * q / active * (out r * out r) * (b * b)) by (now rewrite B); field; lra.
Qed.
End Width.

(* Every start whose neurons keep clear of the threshold, of which at least 10 m^(4/5) fire, and
   whose outputs are small. *)
Theorem two_points :
  (0 < m)%nat ->
  (forall r, Rabs (out r) = weight (INR m)) ->
  clear (radius (INR m)) ->
  10 * Rpower (INR m) (4/5) <= active ->
  Rabs (f W0 x) <= 1/4 -> Rabs (f W0 y) <= 1/4 ->
  (exists W, (forall r, norm d (minus (W r) (W0 r)) <= radius (INR m)) /\ loss W <= 1/4) /\
  (forall s s' : nat -> R, (forall t, Rabs (s t) <= 1 /\ Rabs (s' t) <= 1) ->
   forall t, (t < rounds)%nat -> 7/10 <= loss (run (smaller_step (INR m)) s s' t)).
Proof.
  intros Hm0 Ho Hc Ha Fx Fy. set (q := Rpower (INR m) (1/5)).
  assert (HM : 0 < INR m) by now apply lt_0_INR.
  assert (Hq : 0 < q) by apply exp_pos.
  assert (P : forall k, Rpower (INR m) (INR k * (1/5)) = q ^ k).
  { intros k. unfold q. rewrite <- (Rpower_pow k) by apply exp_pos. rewrite Rpower_mult.
    f_equal. ring. }
  assert (E5 : INR m = q ^ 5).
  { rewrite <- P. replace (INR 5 * (1/5)) with 1 by (simpl; lra). now rewrite Rpower_1. }
  assert (E4 : Rpower (INR m) (4/5) = q ^ 4).
  { rewrite <- P. f_equal. simpl. lra. }
  assert (E3 : Rpower (INR m) (-(3/5)) = / q ^ 3).
  { rewrite Rpower_Ropp, <- P. do 2 f_equal. simpl. lra. }
  assert (E1 : weight (INR m) = / q) by (unfold weight; now rewrite Rpower_Ropp).
  assert (R1 : radius (INR m) = / q ^ 3) by exact E3.
  assert (S1 : smaller_step (INR m) = 1/4 * / q ^ 3) by (unfold smaller_step, eps; now rewrite E3).
  rewrite R1, S1 in *. rewrite E4 in Ha. setoid_rewrite E1 in Ho.
  apply Rabs_le_between in Fx, Fy. split.
  - exists (comparison q W0). split.
    + intros r. now apply comparison_in_ball.
    + destruct (comparison_outputs q Hq Ho Hc Ha) as [Gx Gy]. unfold loss. rewrite Gx, Gy.
      replace (f W0 x + 1 - 1) with (f W0 x) by ring.
      replace (f W0 y - 1 + 1) with (f W0 y) by ring.
      assert (Rabs (f W0 x) <= 1/4 /\ Rabs (f W0 y) <= 1/4) by (split; apply Rabs_le; lra). lra.
  - intros s s' Hs t Ht. unfold rounds in Ht.
    pose proof (run_apart q Hq E5 Ho Hc Ha s s' Hs t ltac:(lia)) as A. unfold apart in A.
    assert (T : INR t <= 15).
    { replace 15 with (INR 15) by (simpl; ring). apply le_INR. lia. }
    unfold loss. set (W := run _ s s' t) in *.
    pose proof (Rle_abs (- (f W x - 1))) as U. rewrite Rabs_Ropp in U.
    pose proof (Rle_abs (f W y + 1)). lra.
Qed.
End Two_points.
